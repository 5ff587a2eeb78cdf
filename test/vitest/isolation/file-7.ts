import { worlds } from "./worlds.ts";

worlds("file-7", ["http", 25]);
