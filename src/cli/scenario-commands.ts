/** The commands that are about scenarios, and their help. What they do is loaded when they are called. */

import { type Command, Option } from "commander";
import type { ExportFlags } from "./export/export.ts";
import { toolNames } from "./export/tool-names.ts";
import { addCommonOptions, hiddenClock, notEmpty } from "./options/common-options.ts";
import { addPlayOptions, addTrafficOptions, type PlayFlags } from "./play/play-options.ts";
import type { HostProcess } from "./processes/host-process.ts";
import type { RecordFlags } from "./record/record.ts";
import type { ScenariosFlags } from "./scenarios.ts";

/** Takes a command's exit code. */
export type SetExitCode = (exitCode: number) => void;

const SCENARIO =
  "the name of one that comes with adsim (see: npx adsim scenarios), a file (.json, .ts, .mts, .js, .mjs), or - for JSON from standard input";

export function addPlay(program: Command, host: HostProcess, ends: SetExitCode): void {
  const play = program
    .command("play")
    .description("play a scenario, and check that what it expects comes true")
    .argument("[SCENARIO]", SCENARIO)
    .addHelpText(
      "after",
      `
--seed, --start, --publishers, --profile, --assume and --assumptions override the scenario's own settings. Their defaults
above apply if the scenario has none. A module must export the scenario as "scenario" or as its default.
Without --target, adsim plays the scenario in a world in this process, and no real time passes.
If --target is an adsim, it plays the scenario in a new world, /@NAME, or in the world that the URL names, whose state is
lost. No real time passes there either, unless you give --speed.
With --api-key and --publisher, --target can be any service, and time is real. adsim skips the steps that the service can't
do, and says which. If an answer isn't as expected, it is broken only if no choice of the assumptions allows it; otherwise
it is unknown. --assume and --assumptions say what the service is known to choose. Use publishers that no other client uses
meanwhile.
Exit codes: 0 held, 1 broken or unknown, 2 wrong usage or an invalid scenario, 3 the scenario can't be read, or the target
can't be reached.`,
    );
  addPlayOptions(addCommonOptions(play, hiddenClock(["frozen"])), host).action(
    async (source: string | undefined, flags: PlayFlags) => {
      const command = await import("./play/play.ts");
      ends(await command.play(source, flags, host));
    },
  );
}

export function addScenarios(program: Command, host: HostProcess): void {
  program
    .command("scenarios")
    .description("list the scenarios that come with adsim, or print one as JSON")
    .argument("[NAME]", "print only this one, as JSON: npx adsim scenarios NAME > mine.json")
    .option(
      "--playable",
      "say which can be played at a service other than adsim, and how long they wait in real time",
    )
    .option("--json", "write machine-readable output to stdout")
    .action(async (name: string | undefined, flags: ScenariosFlags) => {
      const command = await import("./scenarios.ts");
      command.scenarios(name, flags, host);
    });
}

export function addExport(program: Command, host: HostProcess): void {
  const exporting = program
    .command("export")
    .description("write the traffic of a scenario for a load generator")
    .usage("--to <tool> [options] <SCENARIO>")
    .argument("<SCENARIO>", SCENARIO)
    .addOption(
      new Option("--to <tool>", "the load generator").choices(toolNames).makeOptionMandatory(),
    )
    .option(
      "--target <url>",
      "the base URL that it sends to (default: http://127.0.0.1:4010)",
      notEmpty,
    )
    .option(
      "--out <file>",
      "the file to write (default: standard output); --to k6 needs FILE.js",
      notEmpty,
    )
    .addHelpText(
      "after",
      `
artillery: a script in JSON for Artillery 2. k6: a script, and its publishers in FILE.data.json beside it.
They have the API keys of the scenario's publishers, which are the same in adsim serve with the same --seed, or the keys that
you give. Standard error says how to run them, and lists what they leave out.
Exit codes: 0 fine, 2 wrong usage, an invalid scenario, or one without traffic, 3 the scenario can't be read, or the file
can't be written.`,
    );
  addTrafficOptions(addCommonOptions(exporting, hiddenClock())).action(
    async (source: string, flags: ExportFlags) => {
      const command = await import("./export/export.ts");
      await command.exportScenario(source, flags, host);
    },
  );
}

export function addRecord(program: Command, host: HostProcess): void {
  program
    .command("record")
    .description("turn recorded requests into a scenario, to play them again at any time")
    .argument("<FILE>", "a HAR file of any tool, a journal as NDJSON, or a trace in CSV")
    .option("--name <name>", "the scenario's name (default: from FILE)", notEmpty)
    .option("--out <file>", "write the scenario to this file instead of standard output", notEmpty)
    .option(
      "--sign-up",
      "let the publishers of another service sign up, to play in a world of adsim",
    )
    .addHelpText(
      "after",
      `
The publishers of another service become 0, 1 and so on, which that service supplies (adsim play --target URL --api-key KEY
--publisher ID). Steps refer to ids instead of repeating them, and the time between the requests is kept. Keys are left out.
A CSV trace has a line with the names of its columns, and then one request a line. Columns: operation (impression, click,
stats, surfaces or payouts); at (ISO 8601); status; and the names of the API's parameters. impression_id is also the id that
an impression was answered with.
Exit codes: 0 fine, 2 wrong usage, 3 FILE can't be read, or has no request to the API.`,
    )
    .action(async (file: string, flags: RecordFlags) => {
      const command = await import("./record/record.ts");
      await command.record(file, flags, host);
    });
}
