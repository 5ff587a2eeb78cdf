/** Prints the digest of the fixed list, played from the sources: what the tests start under other settings. */

import { coveringArray, createSimulator } from "../../src/index.ts";
import { play } from "./play.ts";

console.log(play(createSimulator, coveringArray));
