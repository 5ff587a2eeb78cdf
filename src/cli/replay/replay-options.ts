/** The options of `adsim replay`, as they are parsed. */

import type { replayOptions } from "../options/command-options.ts";
import type { CommonFlags } from "../options/common-options.ts";
import type { FlagsOf } from "../options/option.ts";

export type ReplayFlags = CommonFlags & FlagsOf<typeof replayOptions>;
