/** The version of this package, for code that can't read files. A test compares it with package.json. */

export const VERSION = "0.1.0";
