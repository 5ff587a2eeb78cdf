/**
 * The client that takes nothing for granted that the spec doesn't promise, as a program for `adsim matrix`. It passes under
 * every assumption.
 */

import { robust } from "./habits.ts";
import { playSession } from "./session.ts";

await playSession(robust);
