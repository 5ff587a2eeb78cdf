import { worlds } from "./worlds.ts";

worlds("file-6", ["fetch", 9], ["msw", 16]);
