/** The commands that are about scenarios, and their help. What they do is loaded when they are called. */

import { type Command, Option } from "commander";
import type { ExportFlags } from "./export/export.ts";
import { addCommonOptions, notEmpty } from "./options/common-options.ts";
import { addCredentialOptions, addPlayOptions, type PlayFlags } from "./play/play-options.ts";
import type { ScenariosFlags } from "./scenarios.ts";

const SCENARIO =
  "one that comes with adsim, by its name; a file (.json, .ts, .mts, .js, .mjs); - for JSON from standard input";

export function addPlay(program: Command, ends: (exitCode: number) => void): void {
  const play = program
    .command("play")
    .description("play a scenario, and say whether what it expects came true")
    .argument("<SCENARIO>", SCENARIO)
    .addHelpText(
      "after",
      `
--seed, --start, --publishers, --profile, --assume and --assumptions take the place of the scenario's own; their defaults
above are for a scenario that doesn't say. A module exports it as scenario, or as its default.
Without --target it is played in a world in this process, and nobody waits. An adsim at --target plays it in a world of its
own, /@NAME, or in the one that the URL names, whose state is lost; no time passes there either, unless --speed says so. With
--api-key and --publisher the target is any service, and time is real: what it can't do is skipped, and said.
Exit codes: 0 held, 1 broken, or nobody knows, 2 wrong usage or no valid scenario, 3 it can't be read, or no target.`,
    );
  addPlayOptions(addCommonOptions(play, "frozen")).action(
    async (source: string, flags: PlayFlags) => {
      const command = await import("./play/play.ts");
      ends(await command.play(source, flags));
    },
  );
}

export function addScenarios(program: Command): void {
  program
    .command("scenarios")
    .description("the scenarios that come with adsim, or one of them as JSON")
    .argument("[NAME]", "print this one: adsim scenarios NAME > mine.json")
    .option("--json", "machine-readable output on stdout")
    .action(async (name: string | undefined, flags: ScenariosFlags) => {
      const command = await import("./scenarios.ts");
      command.scenarios(name, flags);
    });
}

export function addExport(program: Command): void {
  const exporting = program
    .command("export")
    .description("write the traffic of a scenario as a script of a load generator")
    .argument("<SCENARIO>", SCENARIO)
    .addOption(
      new Option("--to <tool>", "for which tool").choices(["artillery"]).makeOptionMandatory(),
    )
    .option(
      "--target <url>",
      "the base URL that it sends to (default: http://127.0.0.1:4010)",
      notEmpty,
    )
    .option("--out <file>", "where the script goes (default: standard output)", notEmpty)
    .addHelpText(
      "after",
      `
The script is JSON for Artillery 2: npx artillery run FILE. It knows the keys of the publishers that the scenario's world has, as
adsim serve --seed … has them, or those that are given. What such a script can't say is listed on standard error.
Exit codes: 0 fine, 2 wrong usage, no valid scenario, or one without traffic, 3 it can't be read, or the script can't be written.`,
    );
  addCredentialOptions(addCommonOptions(exporting, "frozen")).action(
    async (source: string, flags: ExportFlags) => {
      const command = await import("./export/export.ts");
      await command.exportScenario(source, flags);
    },
  );
}
