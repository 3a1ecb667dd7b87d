/** Texts of the palette, in English and German. */
export const paletteEn = {
  open: 'Go to …',
  title: 'Go to',
  hint: 'An area, an entity, a place, or what to do',
  nothing: 'Nothing here has this name.',
  findTenant: (text: string) => `Find tenants with “${text}”`,
  findPerson: (text: string) => `Find people whose name begins with “${text}”`,
  area: 'Area',
  entity: 'Entity',
  place: 'Place',
  act: 'Do',
  search: 'Search',
  dark: 'Dark colours',
  light: 'Light colours',
};

export const paletteDe: typeof paletteEn = {
  open: 'Gehe zu …',
  title: 'Gehe zu',
  hint: 'Ein Bereich, eine Entität, ein Ort, oder was zu tun ist',
  nothing: 'Nichts hier heißt so.',
  findTenant: (text) => `Mandanten mit „${text}“ suchen`,
  findPerson: (text) => `Personen suchen, deren Name mit „${text}“ beginnt`,
  area: 'Bereich',
  entity: 'Entität',
  place: 'Ort',
  act: 'Tun',
  search: 'Suchen',
  dark: 'Dunkle Farben',
  light: 'Helle Farben',
};
