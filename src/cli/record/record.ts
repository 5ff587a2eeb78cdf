/** `adsim record FILE`: turns a recording into a scenario: a HAR, a journal as NDJSON, or a trace in CSV. */

import { indentedJson } from "../../base/text.ts";
import type { recordOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { leftOutGroups, leftOutInWords, madeOf, recordingIn } from "./recording-in.ts";

type RecordCall = Call<FlagsOf<typeof recordOptions>>;

/** @throws CommandFailure for a file that can't be read or written, or that has no request to the API. */
export async function record({ words, flags, host }: RecordCall): Promise<void> {
  const [file = ""] = words;
  const { out, name, signUp } = flags;
  const written = out === undefined ? undefined : { option: `--out ${out}`, file: out };
  if (written !== undefined) await checkOut(written, file);
  const recording = await recordingIn(file);
  const isElsewhere = !recording.byAdsim && signUp !== true;
  const publishers = isElsewhere ? "numbered" : "world";
  const made = madeOf(file, recording, { expects: "statuses", publishers }, name);
  const text = indentedJson(made.scenario);
  if (written === undefined) say(text, host.stdout);
  else await writeOut({ ...written, content: text }, host.stderr);
  const leftOut = leftOutInWords(leftOutGroups(made.leftOut));
  if (leftOut !== "") say(`adsim: left out: ${leftOut}\n`, host.stderr);
  if (!isElsewhere) return;
  // It must supply the publishers, with their surfaces in the order of the references.
  const given = made.publishers.flatMap(({ id, surfaces }) => {
    return ["--api-key KEY --publisher", id, ...surfaces.map((one) => `--surface ${one.id}`)];
  });
  const lines = [
    `play it at the recorded service, with these or other publishers: --target URL ${given.join(" ")}`,
    "for a world of adsim, where they have to sign up, record again with --sign-up",
  ];
  say(lines.map((line) => `adsim: ${line}\n`).join(""), host.stderr);
}
