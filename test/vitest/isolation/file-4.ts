import { worlds } from "./worlds.ts";

worlds("file-4", ["fetch", 25]);
