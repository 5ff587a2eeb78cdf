/** `adsim/contract`: tests a client of the API against the rules that its documentation sets, and rules of your own. */

export { clientContract } from "./testing/contract/client-contract.ts";
export type { ClientContractOptions, ContractReport } from "./testing/contract/contract-options.ts";
export { ContractError } from "./testing/contract/failure.ts";
export type { Breach, Rule } from "./testing/contract/rules/rule.ts";
export type {
  ClientPromises,
  CreateDriver,
  Driver,
  DriverContext,
  Shown,
  Undelivered,
} from "./testing/driver/driver.ts";
export type { Command } from "./testing/session/command.ts";
export type { Call, Change, Sent, Session } from "./testing/session/session.ts";
export type { Told } from "./testing/session/told.ts";
