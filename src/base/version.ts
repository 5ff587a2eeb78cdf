/** The version of this package, for what is written in places without a file system. A test holds it against package.json. */

export const VERSION: string = "0.1.0";
