/** The client of the six mistakes, as a program for `adsim matrix`. It passes on the defaults. */

import { relying } from "./habits.ts";
import { playSession } from "./session.ts";

await playSession(relying);
