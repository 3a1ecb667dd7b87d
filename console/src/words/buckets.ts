/** Texts of the page of rate limits, in English and German. */
export const bucketsEn = {
  allowance: 'Allowance',
  allows: (burst: string, perSecond: string) => `${burst} at once, then ${perSecond} a second`,
  allowsSeldom: (burst: string, seconds: string) => `${burst} at once, then one in ${seconds} s`,
  limitless: 'off',
  setAt: 'Set by',
  setByDefault: 'the default',
  taken: 'Taken of the emptiest bucket',
  spent: 'Callers without a token',
  shared: 'From the shared bucket',
  refusedMost: 'Refused most, by tenant',
  atMost: (count: string) => `at most ${count}`,
  noTenant: 'no tenant of the node',
  limitedRoutes: 'What they limit',
  routesMany: (count: string) => `${count} routes`,
  levelsHow:
    'A caller is an address at a tenant. How empty the buckets are is looked at once a minute; refusals are counted since the node started.',
  ratesHow:
    'A profile under `rates:` in the platform file has other numbers from the next start on. One tenant that asks for too much gets a quota.',
};

export const bucketsDe: typeof bucketsEn = {
  allowance: 'Erlaubt',
  allows: (burst, perSecond) => `${burst} auf einmal, dann ${perSecond} pro Sekunde`,
  allowsSeldom: (burst, seconds) => `${burst} auf einmal, dann eine in ${seconds} s`,
  limitless: 'aus',
  setAt: 'Gesetzt durch',
  setByDefault: 'die Vorgabe',
  taken: 'Verbraucht vom leersten Eimer',
  spent: 'Aufrufer ohne Marke',
  shared: 'Aus dem gemeinsamen Eimer',
  refusedMost: 'Am häufigsten abgelehnt, nach Mandant',
  atMost: (count) => `höchstens ${count}`,
  noTenant: 'kein Mandant des Knotens',
  limitedRoutes: 'Was sie begrenzen',
  routesMany: (count) => `${count} Routen`,
  levelsHow:
    'Ein Aufrufer ist eine Adresse bei einem Mandanten. Wie leer die Eimer sind, wird einmal in der Minute angesehen; Ablehnungen zählen seit dem Start des Knotens.',
  ratesHow:
    'Ein Profil unter `rates:` in der Plattformdatei hat vom nächsten Start an andere Zahlen. Ein Mandant, der zu viel verlangt, bekommt ein Kontingent.',
};
