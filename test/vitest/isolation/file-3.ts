import { sharedWorld } from "./worlds.ts";

sharedWorld("shared");
