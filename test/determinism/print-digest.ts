/** Prints the digest of the fixed list, played from the sources. The tests start it in other time zones and locales. */

import { coveringArray, createSimulator } from "../../src/index.ts";
import { play } from "./play.ts";

console.log(play(createSimulator, coveringArray));
