/** The load generators that a scenario can be exported to. On its own, so that help loads nothing else. */

export const toolNames = ["artillery", "k6"] as const;

export type ToolName = (typeof toolNames)[number];
