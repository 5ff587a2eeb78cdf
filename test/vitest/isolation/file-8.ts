import { sharedWorld, worlds } from "./worlds.ts";

worlds("file-8", ["fetch", 25]);
sharedWorld("shared");
