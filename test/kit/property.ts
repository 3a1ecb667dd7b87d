/** fast-check, whose lists here become as long as their `maxLength` says: by default it makes ten elements of them, whatever is asked. */
import fc from 'fast-check';

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

export { fc };
