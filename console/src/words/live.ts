/** Texts of lists that change by themselves, in English and German. */
export const liveEn = {
  on: 'Changes by itself',
  paused: 'Rests: press a key, and it goes on',
};

export const liveDe: typeof liveEn = {
  on: 'Ändert sich von selbst',
  paused: 'Ruht: Drücken Sie eine Taste, dann geht es weiter',
};
