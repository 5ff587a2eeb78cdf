/** A command in the words of the API: what a client is asked for, or what happens to it, in a line. */

import { type OperationId, operations } from "../../contract/operations.ts";
import type { Command } from "./command.ts";

/** Such as `POST /v1/click on showing 0`. Places count from 0 and wrap around. */
export function wordsOf(command: Command): string {
  switch (command.kind) {
    case "impression":
      return `${endpoint("impression")} on surface ${command.surface}`;
    case "again":
      return `${endpoint("impression")} once more for showing ${command.impression}`;
    case "click":
      return `${endpoint("click")} on showing ${command.impression}`;
    case "stats":
    case "surfaces":
    case "payouts":
      return `${endpoint(command.kind)}${queryOf(command)}`;
    case "flush":
      return "flush";
    case "advance":
      return `${command.byMs} ms pass`;
    case "fault":
      return `fault ${JSON.stringify(command.rule)}`;
    case "heal":
      return "all faults are gone";
    case "spend":
      return `another program leaves ${command.left} of the ${command.of} limit`;
    case "together":
      return `at once: ${command.commands.map(wordsOf).join(" | ")}`;
  }
}

function endpoint(id: OperationId): string {
  return `${operations[id].method} ${operations[id].path}`;
}

function queryOf(command: Extract<Command, { kind: "stats" | "surfaces" | "payouts" }>): string {
  const { kind: _, ...query } = command;
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? "" : ` ${pairs.map(([name, value]) => `${name}=${value}`).join(" ")}`;
}
