/** Texts of the sheet of a row, beside those of its fields, in English and German. */
export const rowEn = {
  way: 'The way to this row',
  inGrid: 'Show it among the rows of its entity',
  related: 'Related',
  relatedHow: 'Rows that refer to this one, as far as this login may see them.',
  noRelated: 'No entity that this login may read refers to this one.',
  refersBy: 'by',
  noneRefers: 'none',
  someRefer: 'not counted',
  showAll: 'Show all in the grid',
  showAllOf: (entity: string, field: string) => `Show all in the grid: ${entity} by ${field}`,
  records: 'Audit',
  recordsHow:
    'What the audit log of the tenant has of this row, newest first. A click on one shows its proof, which this browser checks.',
  noRecords:
    'The records that were read have nothing of this row. It was written together with others, before the log began, or long ago.',
  noLog: 'This tenant has no audit log: the node keeps none, or nothing was recorded yet.',
  notAllowed: 'Records are read by the tenant’s administrators and auditors.',
  together: 'Look among writes of several rows',
  togetherHow:
    'An import, or a request that wrote several rows, is one record for them all; of very long ones the log has a hash alone.',
  older: 'Look further back',
  readTo: 'Read back to number',
  version: 'Version',
};

export const rowDe: typeof rowEn = {
  way: 'Der Weg zu dieser Zeile',
  inGrid: 'Unter den Zeilen ihrer Entität zeigen',
  related: 'Bezüge',
  relatedHow: 'Zeilen, die auf diese verweisen, soweit diese Anmeldung sie sehen darf.',
  noRelated: 'Keine Entität, die diese Anmeldung lesen darf, verweist auf diese.',
  refersBy: 'durch',
  noneRefers: 'keine',
  someRefer: 'nicht gezählt',
  showAll: 'Alle in der Tabelle zeigen',
  showAllOf: (entity, field) => `Alle in der Tabelle zeigen: ${entity} durch ${field}`,
  records: 'Audit',
  recordsHow:
    'Was das Audit-Log des Mandanten von dieser Zeile hat, das Neueste zuerst. Ein Klick auf einen Eintrag zeigt seinen Beweis, den dieser Browser prüft.',
  noRecords:
    'Die gelesenen Einträge haben nichts von dieser Zeile. Sie wurde zusammen mit anderen geschrieben, vor dem Beginn des Logs oder vor langer Zeit.',
  noLog: 'Dieser Mandant hat kein Audit-Log: Der Knoten führt keines, oder es wurde noch nichts aufgezeichnet.',
  notAllowed: 'Einträge lesen die Administratoren und Prüfer des Mandanten.',
  together: 'Unter Schreibvorgängen mit mehreren Zeilen suchen',
  togetherHow:
    'Ein Import oder eine Anfrage, die mehrere Zeilen schrieb, ist für alle zusammen ein Eintrag; von sehr langen hat das Log nur einen Hash.',
  older: 'Weiter zurück suchen',
  readTo: 'Gelesen bis zurück zu Nummer',
  version: 'Version',
};
