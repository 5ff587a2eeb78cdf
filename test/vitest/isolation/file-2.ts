import { worlds } from "./worlds.ts";

worlds("file-2", ["fetch", 9], ["msw", 8], ["http", 8]);
