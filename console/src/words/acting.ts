/** Texts of acting for a person, and of one's own account, in English and German. */
export const actingEn = {
  title: 'Act for a person',
  begin: 'Act for this person',
  how: 'You see and do what this person may, under the rules of the product, for 15 minutes at most. The person and the tenant’s administrators see the session with your reason, and it is on record. The person has to have allowed it, and you need a grant for the tenant.',
  tenant: 'Tenant',
  person: 'Address of the person',
  reason: 'Reason',
  reasonHow: 'The person reads it.',
  mode: 'What you may do',
  modes: { readonly: 'only read', full: 'read and change' },
  denied:
    'This is not allowed. The node does not say which of these is missing: the person’s consent, your role impersonate-readonly or impersonate, or a grant for this tenant. People who run the node give a grant:',
  grant: 'Shell',
  as: (person: string) => `You act for ${person}`,
  because: 'because',
  quoted: (text: string) => `“${text}”`,
  since: 'since',
  until: 'until',
  end: 'End it',
  left: (person: string, tenant: string, until: string) =>
    `You acted for ${person} at ${tenant} when this page was left or loaded again. That ended it; where the node could not be reached it ends by itself at ${until}.`,
  understood: 'Understood',
  another: 'Act for another person',
};

export const actingDe: typeof actingEn = {
  title: 'Für eine Person handeln',
  begin: 'Für diese Person handeln',
  how: 'Sie sehen und tun höchstens 15 Minuten lang, was diese Person darf, unter den Regeln des Produkts. Die Person und die Administratoren des Mandanten sehen die Sitzung mit Ihrem Grund, und sie wird aufgezeichnet. Die Person muss es erlaubt haben, und Sie brauchen eine Freigabe für den Mandanten.',
  tenant: 'Mandant',
  person: 'Adresse der Person',
  reason: 'Grund',
  reasonHow: 'Die Person liest ihn.',
  mode: 'Was Sie dürfen',
  modes: { readonly: 'nur lesen', full: 'lesen und ändern' },
  denied:
    'Das ist nicht erlaubt. Der Knoten sagt nicht, was davon fehlt: die Zustimmung der Person, Ihre Rolle impersonate-readonly oder impersonate, oder eine Freigabe für diesen Mandanten. Wer den Knoten betreibt, gibt eine Freigabe:',
  grant: 'Shell',
  as: (person: string) => `Sie handeln für ${person}`,
  because: 'weil',
  quoted: (text: string) => `„${text}“`,
  since: 'seit',
  until: 'bis',
  end: 'Beenden',
  left: (person: string, tenant: string, until: string) =>
    `Sie handelten für ${person} bei ${tenant}, als diese Seite verlassen oder neu geladen wurde. Das hat es beendet; wo der Knoten nicht erreicht wurde, endet es um ${until} von selbst.`,
  understood: 'Verstanden',
  another: 'Für eine andere Person handeln',
};

export const meEn = {
  title: 'My account',
  account: 'Account',
  name: 'Name',
  roles: 'Roles',
  secondFactor: 'Second factor',
  yes: 'yes',
  no: 'no',
  consent: 'Operators may act for me',
  consentHow:
    'An operator with a grant may see, or do, what you may, for 15 minutes at most and with a reason that you find below. Taking this back ends such sessions at once.',
  devices: 'Where I am logged in',
  ended: 'The others are ended.',
  mode: { readonly: 'only reading', full: 'reading and changing' },
  noAccounts:
    'This product has no accounts of one’s own (“accounts” in its product.yaml), so nothing is told here. Its administrators see your sessions.',
  denied: 'This login is no person’s own: it acts for somebody.',
};

export const meDe: typeof meEn = {
  title: 'Mein Konto',
  account: 'Konto',
  name: 'Name',
  roles: 'Rollen',
  secondFactor: 'Zweiter Faktor',
  yes: 'ja',
  no: 'nein',
  consent: 'Betreiber dürfen für mich handeln',
  consentHow:
    'Ein Betreiber mit einer Freigabe darf höchstens 15 Minuten lang und mit einem Grund, den Sie unten finden, sehen oder tun, was Sie dürfen. Nehmen Sie das zurück, enden solche Sitzungen sofort.',
  devices: 'Wo ich angemeldet bin',
  ended: 'Die anderen sind beendet.',
  mode: { readonly: 'nur lesend', full: 'lesend und ändernd' },
  noAccounts:
    'Dieses Produkt hat keine eigenen Konten („accounts“ in seiner product.yaml), daher steht hier nichts. Seine Administratoren sehen Ihre Sitzungen.',
  denied: 'Diese Anmeldung ist nicht die einer Person selbst: Sie handelt für jemanden.',
};
