/** The log of `serve` and `exec`: a line for each exchange of every world, as text for people or as NDJSON for programs. */

import type { Worlds } from "../../simulator/worlds.ts";
import { exchangeEvent, exchangeText } from "./exchange-line.ts";
import { createLines, type Lines } from "./lines.ts";
import { sinkOf } from "./sink.ts";

export interface Log {
  /** Writes the remaining lines, but doesn't let a slow reader keep the process alive. */
  end(exitCode: number): Promise<void>;
}

/**
 * Begins to log. Text goes to standard error, NDJSON to standard output. Lines that the reader is too slow for are dropped
 * and counted: the server doesn't wait for them, and doesn't keep more than a bounded number of them.
 */
export function startLog(format: "text" | "json", worlds: Worlds): Log {
  const lines = format === "json" ? logEvents(worlds) : logText(worlds);
  return {
    async end(exitCode) {
      if (!(await lines.end())) process.exit(exitCode);
    },
  };
}

function logEvents(worlds: Worlds): Lines {
  const lines = createLines(sinkOf(process.stdout), (exchanges) =>
    JSON.stringify({ event: "dropped", exchanges }),
  );
  worlds.observe((world, exchange) => lines.add(exchangeEvent(world, exchange)));
  return lines;
}

function logText(worlds: Worlds): Lines {
  const { stderr } = process;
  const isColourful = stderr.isTTY === true && (process.env.NO_COLOR ?? "") === "";
  const lines = createLines(
    sinkOf(stderr),
    (exchanges) =>
      `adsim: ${exchanges} exchanges were dropped from the log: they came faster than it is read`,
  );
  worlds.observe((world, exchange) => lines.add(exchangeText(world, exchange, isColourful)));
  return lines;
}
