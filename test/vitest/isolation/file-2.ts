import { worlds } from "./worlds.ts";

worlds("file-2", ["fetch", 25]);
