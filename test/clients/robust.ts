/** A client that takes nothing for granted that the spec doesn't promise. It passes under every assumption. */

import { robust } from "./habits.ts";
import { playSession } from "./session.ts";

await playSession(robust);
