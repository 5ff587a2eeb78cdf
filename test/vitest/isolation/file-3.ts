import { worlds } from "./worlds.ts";

worlds("file-3", ["fetch", 25]);
