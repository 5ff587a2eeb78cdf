/** The table of commands. From it follow parsing, the types of the flags, help, and the list of options in the docs. */

import {
  execOptions,
  exportOptions,
  matrixOptions,
  playOptions,
  recordOptions,
  replayOptions,
} from "./options/command-options.ts";
import { commonOptions, serveOptions, stillOptions } from "./options/common-options.ts";
import { type Command, command, flag, needed, text } from "./options/option.ts";

const CMD = { kind: "command", name: "CMD [arguments...]" } as const;
const SCENARIO =
  "the name of a scenario (see: npx adsim scenarios), a file (.json, .ts, .js), or - for JSON from standard input";
const RECORDING = {
  ...({ kind: "one", name: "FILE" } as const),
  says: "a HAR file of any tool, a journal as NDJSON, or a trace in CSV",
};

const VARIABLES = `CMD gets the environment variables ADSIM_URL, ADSIM_API_KEY, ADSIM_PUBLISHER_ID, ADSIM_SURFACE_ID, ADSIM_ASSUMPTIONS (the
choices in force, as JSON), and NO_PROXY, so that its requests to adsim pass no proxy.`;

const SERVICES = `If --target is an adsim, it plays in a new world, /@NAME, or in the world that the URL names, whose state is lost.
With --api-key and --publisher, --target can be any service, and time is real.`;

const serve = command({
  name: "serve",
  says: "run the server until it is interrupted",
  options: serveOptions,
  run: (call) => import("./serve.ts").then(({ serve }) => serve(call)),
});

const exec = command({
  name: "exec",
  says: "start a server, run a command against it, and stop the server",
  words: { ...CMD, says: "what to run, such as: npx adsim exec -- npm test" },
  options: execOptions,
  more: `Afterwards adsim prints the client report over all worlds: how often CMD sent each request, and what it did wrong. It exits
with CMD's exit code.
${VARIABLES}`,
  run: (call) => import("./exec.ts").then(({ exec }) => exec(call)),
});

const matrix = command({
  name: "matrix",
  says: "find out which behaviour a client relies on that the API's specification leaves open",
  words: { ...CMD, says: "a test of the client, such as: npx adsim matrix -- npm test" },
  options: matrixOptions,
  more: `CMD runs twice with the defaults, then once for each row of a covering array over the assumptions, each time against a new
server. Then adsim finds the smallest sets of choices that make CMD fail. Choices that you give stay in all runs.
${VARIABLES}`,
  run: (call) => import("./matrix/matrix.ts").then(({ matrix }) => matrix(call)),
});

const play = command({
  name: "play",
  says: "play scenarios, and check that what they expect comes true",
  words: {
    ...({ kind: "several", name: "SCENARIO" } as const),
    says: `${SCENARIO}; also several, or a pattern such as 'spec-*'`,
  },
  options: playOptions,
  more: `Options such as --seed override the scenario's own settings. A module exports the scenario as "scenario" or as its default.
Without --target, adsim plays in this process, and no real time passes.
${SERVICES}
There, --assume says what the service is known to choose, and steps that only an adsim can do are skipped. Of several
scenarios, those that can't be played there are left out, and the end says what they need.`,
  run: (call) => import("./play/play.ts").then(({ play }) => play(call)),
});

const scenarios = command({
  name: "scenarios",
  says: "list the scenarios that come with adsim and where they can be played, or print one as JSON",
  words: {
    ...({ kind: "one", name: "NAME", isOptional: true } as const),
    says: "print only this one, as JSON: npx adsim scenarios NAME > mine.json",
  },
  options: { json: commonOptions.json },
  run: (call) => import("./scenarios.ts").then(({ scenarios }) => scenarios(call)),
});

const record = command({
  name: "record",
  says: "turn recorded requests into a scenario, to play them again at any time",
  words: RECORDING,
  options: recordOptions,
  more: `The publishers of another service become 0, 1 and so on, and ids become references. Keys are left out.
A CSV trace has a line with the names of its columns, and then one request a line. Columns: operation (impression, click,
stats, surfaces or payouts), at (ISO 8601), status, and the API's parameters. impression_id is also the id that an impression
was answered with.`,
  run: (call) => import("./record/record.ts").then(({ record }) => record(call)),
});

const replay = command({
  name: "replay",
  says: "play a recording again, and show the answers that differ from the recorded ones",
  words: RECORDING,
  options: replayOptions,
  more: `adsim makes a scenario of FILE, as adsim record does, that expects the recorded answers: status, Content-Type, and the body
without the ids that a service invents. Without --target it plays in this process with the recorded settings, which options
override. Publishers that this world doesn't have sign up.
${SERVICES}
There, the first publisher given is the first one of the recording.`,
  run: (call) => import("./replay/replay.ts").then(({ replay }) => replay(call)),
});

const exporting = command({
  name: "export",
  says: "write the traffic of a scenario for a load generator",
  words: { kind: "one", name: "SCENARIO", says: SCENARIO },
  options: exportOptions,
  more: `artillery: a script in JSON for Artillery 2. k6: a script. They have the API keys of the scenario's publishers, which are the
same in adsim serve with the same --seed, or the keys that you give. Standard error says how to run them, and what they leave out.`,
  run: (call) => import("./export/export.ts").then(({ exportScenario }) => exportScenario(call)),
});

const fixtures = command({
  name: "fixtures",
  says: "write requests and their expected answers as JSON files, for tests in any language",
  options: {
    out: needed(
      text("<folder>", "a new or empty folder, or one with fixtures, which are replaced"),
    ),
    ...stillOptions,
  },
  more: "Each file is one case: a request, what must happen before it, and the answer. index.json lists the files.",
  run: (call) => import("./fixtures/fixtures.ts").then(({ fixtures }) => fixtures(call)),
});

const assumptions = command({
  name: "assumptions",
  says: "list the questions that the API's specification leaves open, with their choices",
  words: { kind: "one", name: "KEY", says: "show only this one", isOptional: true },
  options: commonOptions,
  run: (call) => import("./assumptions.ts").then(({ assumptions }) => assumptions(call)),
});

const openapi = command({
  name: "openapi",
  says: "print the API as OpenAPI 3.1, in JSON",
  options: {
    successes: flag("leave out HEAD and all errors, for tools that expect each answer once"),
    ...commonOptions,
  },
  run: (call) => import("./openapi.ts").then(({ openapi }) => openapi(call)),
});

/** In the order of the help. */
export const commands: readonly Command[] = [
  ...[serve, exec, matrix, play, scenarios, record, replay],
  ...[exporting, fixtures, assumptions, openapi],
];
