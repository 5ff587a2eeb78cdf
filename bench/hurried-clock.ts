/** Loaded before the measured server (`node --import`), whose clock is the system's. */

import { hurried } from "./quota.ts";

Date.now = hurried(Date.now);
