/** Texts of products, in English and German. */
export const productsEn = {
  section: 'Products',
  sectionHow: 'A product is what a customer’s tenants of one environment run. A revision is its files at one moment.',
  product: 'Product',
  none: 'No tenant runs a product yet.',
  noneHow:
    'A product is a folder of definitions. Make one, name it in the platform file, and provision a tenant of it: then it is listed here.',
  newProduct: 'A product with a platform file that runs it',
  notAll: 'There are more tenants than were looked at, so a product may have more of them, or be missing.',
  more: 'Look at more tenants',
  revisions: 'Revision',
  tenants: 'Tenants',
  source: 'From',
  servesNone: 'serves none',
  all: 'all on',
  several: 'revisions',
  unknown: 'No tenant on this node runs such a product.',
  wayBack: 'Way back',
  planBack: 'Plan back',
  changes: 'What was done',
  noChanges:
    'No revision was sent and no plan applied by a request yet. Provisioning reads the product’s files on the node and is on record with each tenant.',
  noLog: 'This node keeps no audit log (`audit.enabled`), so it does not know when and by whom revisions changed.',
  earlierDeploys: 'Earlier deploys',
  earlierPlans: 'Earlier plans',
  what: 'What',
  about: 'Of',
  kinds: {
    sent: 'Revision sent',
    planned: 'Plan made',
    applied: 'Plan applied',
    led: 'Plan applied here',
  },
  steps: 'steps',
  elsewhere: 'Another revision',
  elsewhereHow:
    'A new revision comes with `skep deploy` from where the product’s files are, by the key of a deployer; each tenant’s plan is shown before it is applied. Back to the revision of before leads the same command for all tenants, or a plan of each above.',
  makeKey: 'The key of a deployer, shown once',
  deploy: 'Bring a revision',
  rollback: 'All tenants back to the revision of before',
};

export const productsDe: typeof productsEn = {
  section: 'Produkte',
  sectionHow:
    'Ein Produkt ist, was die Mandanten eines Kunden in einer Umgebung ausführen. Eine Revision sind seine Dateien in einem Augenblick.',
  product: 'Produkt',
  none: 'Noch führt kein Mandant ein Produkt aus.',
  noneHow:
    'Ein Produkt ist ein Ordner mit Definitionen. Machen Sie eines, nennen Sie es in der Plattformdatei, und richten Sie einen Mandanten davon ein: Dann steht es hier.',
  newProduct: 'Ein Produkt mit einer Plattformdatei, die es ausführt',
  notAll:
    'Es gibt mehr Mandanten, als angesehen wurden. Ein Produkt kann also weitere haben, oder eines kann noch fehlen.',
  more: 'Weitere Mandanten ansehen',
  revisions: 'Revision',
  tenants: 'Mandanten',
  source: 'Von',
  servesNone: 'bedient keine',
  all: 'alle auf',
  several: 'Revisionen',
  unknown: 'Kein Mandant an diesem Knoten führt ein solches Produkt aus.',
  wayBack: 'Zurück',
  planBack: 'Zurück planen',
  changes: 'Was geschah',
  noChanges:
    'Noch wurde keine Revision gesandt und kein Plan durch eine Anfrage angewandt. Das Einrichten liest die Dateien des Produkts am Knoten und steht bei jedem Mandanten.',
  noLog:
    'Dieser Knoten führt kein Audit-Log (`audit.enabled`) und weiß daher nicht, wann und von wem Revisionen geändert wurden.',
  earlierDeploys: 'Frühere Deploys',
  earlierPlans: 'Frühere Pläne',
  what: 'Was',
  about: 'Wovon',
  kinds: {
    sent: 'Revision gesandt',
    planned: 'Plan gemacht',
    applied: 'Plan angewandt',
    led: 'Plan hier angewandt',
  },
  steps: 'Schritte',
  elsewhere: 'Eine andere Revision',
  elsewhereHow:
    'Eine neue Revision kommt mit `skep deploy` von dort, wo die Dateien des Produkts sind, mit dem Schlüssel eines Deployers; der Plan jedes Mandanten wird gezeigt, bevor er angewandt wird. Zur vorigen Revision führt derselbe Befehl für alle Mandanten, oder je ein Plan von oben.',
  makeKey: 'Der Schlüssel eines Deployers, einmal gezeigt',
  deploy: 'Eine Revision bringen',
  rollback: 'Alle Mandanten zurück zur vorigen Revision',
};
