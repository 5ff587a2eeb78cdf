/** The commands that are about scenarios, and their help. What they do is loaded when they are called. */

import { type Command, Option } from "commander";
import type { ExportFlags } from "./export/export.ts";
import { addCommonOptions, hiddenClock, notEmpty } from "./options/common-options.ts";
import { addCredentialOptions, addPlayOptions, type PlayFlags } from "./play/play-options.ts";
import type { HostProcess } from "./processes/host-process.ts";
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
    .description("write the traffic of a scenario as a script for a load generator")
    .usage("--to <tool> [options] <SCENARIO>")
    .argument("<SCENARIO>", SCENARIO)
    .addOption(
      new Option("--to <tool>", "the tool to write the script for")
        .choices(["artillery"])
        .makeOptionMandatory(),
    )
    .option(
      "--target <url>",
      "the base URL that the script sends to (default: http://127.0.0.1:4010)",
      notEmpty,
    )
    .option("--out <file>", "the file to write the script to (default: standard output)", notEmpty)
    .addHelpText(
      "after",
      `
The script is JSON for Artillery 2: npx artillery run FILE. It has the API keys of the scenario's publishers, which are the
same in adsim serve with the same --seed, or the keys that you give. Standard error lists what the script leaves out.
Exit codes: 0 fine, 2 wrong usage, an invalid scenario, or one without traffic, 3 the scenario can't be read, or the script
can't be written.`,
    );
  addCredentialOptions(addCommonOptions(exporting, hiddenClock())).action(
    async (source: string, flags: ExportFlags) => {
      const command = await import("./export/export.ts");
      await command.exportScenario(source, flags, host);
    },
  );
}
