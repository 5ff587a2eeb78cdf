export { createHandlers, type HandlerOptions, type Handling } from "./adapters/msw.ts";
