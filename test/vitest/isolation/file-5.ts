import { worlds } from "./worlds.ts";

worlds("file-5", ["msw", 25]);
