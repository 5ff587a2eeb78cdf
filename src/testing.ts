/** `adsim/testing`: what property tests of a client need, for fast-check. */

export {
  type ArbitraryAssumptionsOptions,
  arbitraryAssumptions,
} from "./testing/arbitrary-assumptions.ts";
export { BrokenRule } from "./testing/contract/rule.ts";
export { type Tried, type TryOptions, tryRule } from "./testing/contract/try-rule.ts";
export type {
  CreateDriver,
  Driver,
  DriverContext,
  Period,
  Shown,
  Undelivered,
} from "./testing/driver/driver.ts";
export {
  openTestWorld,
  type TestWorld,
  type TestWorldOptions,
} from "./testing/driver/test-world.ts";
export {
  type CheckInvariantsOptions,
  checkInvariants,
  invariants,
} from "./testing/invariants/check-invariants.ts";
export {
  type Call,
  type Carrier,
  type OperationName,
  plainWay,
  requestOf,
  type Way,
} from "./testing/oracle/calls.ts";
export type { History } from "./testing/oracle/expectation.ts";
export type { Facts } from "./testing/oracle/facts.ts";
export {
  createOracle,
  type Oracle,
  type OracleOptions,
  type Sent,
} from "./testing/oracle/oracle.ts";
export type { Readings } from "./testing/oracle/readings.ts";
export {
  type CallSender,
  oracleFor,
  plainCall,
  type SimulatorOracle,
} from "./testing/oracle-for.ts";
export type { ClientCommand, Command, WorldCommand } from "./testing/session/command.ts";
export { beginLife, type Life, live } from "./testing/session/live.ts";
export type { Outcome, Session, Showing, Step } from "./testing/session/session.ts";
export type { WireAnswer, WireExchange } from "./testing/session/wire.ts";
export type { Time, Timers } from "./testing/time/time.ts";
