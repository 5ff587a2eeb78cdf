/** The commands that are about scenarios or replicas, and their help. What they do is loaded when they are called. */

import { type Command, Option } from "commander";
import type { ExportFlags } from "./export/export.ts";
import { toolNames } from "./export/tool-names.ts";
import type { FleetFlags } from "./fleet/fleet.ts";
import type { MergeFlags } from "./merge/merge.ts";
import {
  addCommonOptions,
  controlTokenOption,
  hiddenClock,
  notEmpty,
  TARGETS_CONTROL_TOKEN,
} from "./options/common-options.ts";
import { reportOption } from "./output/report-option.ts";
import {
  addPlayOptions,
  addTrafficOptions,
  type PlayFlags,
  reportKinds,
} from "./play/play-options.ts";
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
With --worker, adsim sends only this worker's share of the scenario's traffic, in real time, and leaves judging to adsim merge.
Any number of workers can send at the same time, and together they send what one would. Unless you give keys, the publishers
are those that an adsim with the same --seed has. Repeat a load at the same server under another --run-id.
Exit codes: 0 held, or a worker's share was sent, 1 broken or unknown, 2 wrong usage or an invalid scenario, 3 the scenario
can't be read, or the target can't be reached.`,
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

export function addMerge(program: Command, host: HostProcess, ends: SetExitCode): void {
  program
    .command("merge")
    .description("judge what all workers of one load report together")
    .usage("[options] <REPORT...>")
    .argument("<REPORT...>", "a file that adsim play --worker wrote, one of each worker")
    .option(
      "--target <url>",
      "an adsim that the workers sent to, with no other requests before: compare what they sent with its audit; repeatable, for replicas",
      (url: string, before: readonly string[] = []) => [...before, notEmpty(url)],
    )
    .addOption(controlTokenOption(host, TARGETS_CONTROL_TOKEN))
    .addOption(reportOption(reportKinds))
    .option("--json", "write machine-readable output to stdout, and text for people to stderr")
    .addHelpText(
      "after",
      `
Each worker sends its share of a scenario's traffic, and needs to know only its number and how many workers there are:
  npx adsim play SCENARIO --target URL --worker 3/16 --report json=worker-3.json
adsim adds up what they counted, and judges the scenario's expectations and thresholds by the sum. If a report is missing,
the result is unknown.
Exit codes: 0 held, 1 broken or unknown, 2 reports that don't belong together, 3 a report can't be read, or a target can't
be reached.`,
    )
    .action(async (files: string[], flags: MergeFlags) => {
      const command = await import("./merge/merge.ts");
      ends(await command.merge(files, flags, host));
    });
}

export function addFleet(program: Command, host: HostProcess, ends: SetExitCode): void {
  program
    .command("fleet")
    .description("send a control request to every replica, and show one answer")
    .usage("[options] <URL...> -- METHOD PATH [BODY]")
    .argument(
      "<URL...>",
      "the base URL of every replica, then a request of the control API (/_sim)",
    )
    .addOption(controlTokenOption(host, "the token for the control API of all replicas"))
    .addHelpText(
      "after",
      `
Examples:
  npx adsim fleet http://adsim-1:4010 http://adsim-2:4010 -- POST clock/advance '{"by":"1h"}'
  npx adsim fleet http://adsim-1:4010 http://adsim-2:4010 -- GET audit
For a world other than default, give its URLs: http://adsim-1:4010/@NAME. Audits are added up, journals are merged by time,
and metrics get the label "replica". Other answers are shown once if they are the same, else for each replica.
Nothing is sent unless all replicas answer and have the same version and seed.
Exit codes: 0 all did the same, 1 they refused it in part or differ afterwards, 2 wrong usage or refused by all, 3 a replica
can't be reached.`,
    )
    .action(async (words: string[], flags: FleetFlags) => {
      const command = await import("./fleet/fleet.ts");
      ends(await command.fleet(words, flags, host));
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
artillery: a script in JSON for Artillery 2. k6: a script, and its publishers in FILE.data.json beside it. vegeta: the
requests that adsim play sends, as JSON in lines.
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
    .addHelpText(
      "after",
      `
Publishers of another service sign up at the beginning of the scenario. Steps refer to ids instead of repeating them, and the
time between the requests is kept. Keys are left out.
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
