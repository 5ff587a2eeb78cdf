/** The table of commands. From it follow parsing, the types of the flags, help, and `docs/options.md`. */

import { toolNames } from "./export/tool-names.ts";
import {
  execOptions,
  matrixOptions,
  playOptions,
  replayOptions,
  trafficOptions,
} from "./options/command-options.ts";
import {
  commonOptions,
  explain,
  serverFlags,
  stillOptions,
  withClock,
} from "./options/common-options.ts";
import { type Command, command, flag, hidden, needed, oneOf, text } from "./options/option.ts";

const SCENARIO =
  "the name of a scenario that comes with adsim (see: npx adsim scenarios), a file (.json, .ts, .mts, .js, .mjs), or - for JSON from standard input";

const CMD = { kind: "command", name: "CMD [arguments...]" } as const;

const RECORDING = {
  kind: "one",
  name: "FILE",
  says: "a HAR file of any tool, a journal as NDJSON, or a trace in CSV",
} as const;

const ENVIRONMENT = `CMD gets the environment variables ADSIM_URL, ADSIM_API_KEY, ADSIM_PUBLISHER_ID, ADSIM_SURFACE_ID and ADSIM_ASSUMPTIONS (the
choices in force, as JSON), and NO_PROXY that keeps its requests to adsim from a proxy.`;

const serve = command({
  name: "serve",
  says: "run the server until it is interrupted",
  options: { ...withClock("system"), ...serverFlags({ port: 4010, log: "text on a terminal" }) },
  run: async ({ flags, host }) => (await import("./serve.ts")).serve(flags, host),
});

const exec = command({
  name: "exec",
  says: "start a server, run a command against it, and stop the server",
  words: { ...CMD, says: "what to run, such as: npx adsim exec -- npm test" },
  options: execOptions,
  more: `After CMD, adsim prints the client report over all worlds: how often CMD sent each request, and what it did wrong (the
findings). It exits with CMD's exit code.
${ENVIRONMENT}`,
  run: async ({ words, flags, host }) => (await import("./exec.ts")).exec(words, flags, host),
});

const matrix = command({
  name: "matrix",
  says: "find out which behaviour a client relies on that the API's specification leaves open",
  words: { ...CMD, says: "a test of the client, such as: npx adsim matrix -- npm test" },
  options: { ...withClock("flowing"), explain, ...matrixOptions },
  more: `CMD runs twice with the defaults, then once for each row of a covering array over the assumptions, each time against a new
server; it passes with exit code 0. adsim then finds the smallest sets of choices that make CMD fail. Keys given with
--assume or --assumptions keep their choice in all runs. Several CMDs run at the same time unless --jobs is 1.
${ENVIRONMENT}`,
  run: async (call) => (await import("./matrix/matrix.ts")).matrix(call),
});

const play = command({
  name: "play",
  says: "play scenarios, and check that what they expect comes true",
  words: {
    kind: "several",
    name: "SCENARIO",
    says: `${SCENARIO}; also several, or a pattern such as 'spec-*'`,
  },
  options: { ...stillOptions, ...playOptions },
  more: `--seed, --start, --publishers, --profile, --assume and --assumptions override the scenario's own settings. Their defaults
above apply if the scenario has none. A module must export the scenario as "scenario" or as its default.
Without --target, adsim plays in a world in this process, and no real time passes.
If --target is an adsim, it plays in a new world, /@NAME, or in the world that the URL names, whose state is lost. No real
time passes there either, unless you give --speed.
With --api-key and --publisher, --target can be any service, and time is real. adsim skips the steps that the service can't
do, and says which. A failed expectation names the choices that it rests on; --assume and --assumptions say what the service
is known to choose. Use publishers that no other client uses meanwhile. Of several scenarios, those that can't be played
there are left out, and the end says what they need.
Exit codes: 0 passed, 1 failed or undecided, 2 wrong usage or an invalid scenario, 3 a scenario can't be read, or the target
can't be reached.`,
  run: async (call) => (await import("./play/play.ts")).play(call),
});

const record = command({
  name: "record",
  says: "turn recorded requests into a scenario, to play them again at any time",
  words: RECORDING,
  options: {
    name: text("<name>", "the scenario's name (default: from FILE)"),
    out: text("<file>", "write the scenario to this file instead of standard output"),
    signUp: flag("let the publishers of another service sign up, to play in a world of adsim"),
  },
  more: `The publishers of another service become 0, 1 and so on, which that service supplies (adsim play --target URL --api-key KEY
--publisher ID). Steps refer to ids instead of repeating them, and the time between the requests is kept. Keys are left out.
A CSV trace has a line with the names of its columns, and then one request a line. Columns: operation (impression, click,
stats, surfaces or payouts); at (ISO 8601); status; and the names of the API's parameters. impression_id is also the id that
an impression was answered with.
Exit codes: 0 fine, 2 wrong usage, 3 FILE can't be read, or has no request to the API.`,
  async run({ words: [file = ""], flags, host }) {
    await (await import("./record/record.ts")).record(file, flags, host);
    return 0;
  },
});

const replay = command({
  name: "replay",
  says: "play a recording again, and show the answers that differ from the recorded ones",
  words: RECORDING,
  options: { ...stillOptions, ...replayOptions },
  more: `adsim makes a scenario of FILE, as adsim record does, that expects the recorded answers: status, Content-Type, and the body
without the ids that a service invents. Time follows the recording.
Without --target it plays in a world in this process with the recorded settings. Options override them. Publishers that this
world doesn't have sign up. With --load, the options must agree with the snapshot.
If --target is an adsim, it plays in a new world, /@NAME, or in the world that the URL names, whose state is lost.
With --api-key and --publisher, --target can be any service. Requests follow each other at once, unless you give --wait. The
first publisher given is the first one of the recording.
Exit codes: 0 all answers are the same, 1 some differ or can't be compared, 2 wrong usage, 3 FILE can't be read, there is
nothing to compare, or the target can't be reached.`,
  run: async ({ words: [file = ""], flags, host }) =>
    (await import("./replay/replay.ts")).replay(file, flags, host),
});

const exporting = command({
  name: "export",
  says: "write the traffic of a scenario for a load generator",
  words: { kind: "one", name: "SCENARIO", says: SCENARIO },
  options: {
    to: needed(oneOf("<tool>", toolNames, "the load generator")),
    target: text("<url>", "the base URL that it sends to (default: http://127.0.0.1:4010)"),
    out: text("<file>", "the file to write (default: standard output); --to k6 needs FILE.js"),
    ...commonOptions,
    ...trafficOptions,
  },
  more: `artillery: a script in JSON for Artillery 2. k6: a script, and its publishers in FILE.data.json beside it.
They have the API keys of the scenario's publishers, which are the same in adsim serve with the same --seed, or the keys that
you give. Standard error says how to run them, and lists what they leave out.
Exit codes: 0 fine, 2 wrong usage, an invalid scenario, or one without traffic, 3 the scenario can't be read, or the file
can't be written.`,
  async run({ words: [source = ""], flags, host }) {
    await (await import("./export/export.ts")).exportScenario(source, flags, host);
    return 0;
  },
});

const fixtures = command({
  name: "fixtures",
  says: "write requests and their expected answers as JSON files, for tests in any language",
  options: {
    out: needed(
      text(
        "<folder>",
        "the folder to write to: a new or empty one, or one with earlier fixtures, which are replaced",
      ),
    ),
    ...stillOptions,
  },
  more: `Each file is one case: a request, what must happen before it, and the answer. index.json lists the files. The same options
give the same bytes. The requests have API keys, which are made up from the seed.
Exit codes: 0 fine, 2 wrong usage or a folder with other files, 3 the files can't be written.`,
  async run({ flags, host }) {
    await (await import("./fixtures/fixtures.ts")).fixtures(flags, host);
    return 0;
  },
});

const assumptions = command({
  name: "assumptions",
  says: "list the questions that the API's specification leaves open, with their choices",
  words: { kind: "one", name: "KEY", says: "show only this one", isOptional: true },
  options: {
    ...commonOptions,
    ...{ seed: hidden(commonOptions.seed), start: hidden(commonOptions.start) },
    publishers: hidden(commonOptions.publishers),
    profile: hidden(commonOptions.profile),
  },
  async run({ words: [key], flags, host }) {
    await (await import("./assumptions.ts")).assumptions(key, flags, host);
    return 0;
  },
});

const openapi = command({
  name: "openapi",
  says: "print the API as OpenAPI 3.1, in JSON",
  options: {
    successes: flag("leave out HEAD and all errors, for tools that expect each answer once"),
    ...commonOptions,
  },
  async run({ flags, host }) {
    await (await import("./openapi.ts")).openapi(flags, host);
    return 0;
  },
});

const scenarios = command({
  name: "scenarios",
  says: "list the scenarios that come with adsim and where they can be played, or print one as JSON",
  words: {
    kind: "one",
    name: "NAME",
    says: "print only this one, as JSON: npx adsim scenarios NAME > mine.json",
    isOptional: true,
  },
  options: { json: flag("write machine-readable output to stdout") },
  async run({ words: [name], flags, host }) {
    (await import("./scenarios.ts")).scenarios(name, flags, host);
    return 0;
  },
});

/** In the order of the help. */
export const commands: readonly Command[] = [
  ...[serve, exec, matrix, play, scenarios, record, replay],
  ...[exporting, fixtures, assumptions, openapi],
];
