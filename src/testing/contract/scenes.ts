/**
 * Scenes: what goes wrong while a client is used. Each line is one, and each word of it a command, as `sceneOf` reads it. Every
 * word can shrink to nothing.
 */

import { type Scene, sceneOf } from "./scene.ts";

/** Trouble for events: with answers, with limits, with the key, and for long. */
export const eventScenes: readonly Scene[] = scenes(`
  any@some view
  view flush any@click*1 click
  view flush any@click click up
  view flush lost@click*1 click flush
  view view flush wrong@click*1 click wrong@click*1 click flush
  wrong@impression*1 view flush again
  failed@impression*4 view 2m flush
  failed@impression*4 3x(view) click click flush
  failed@events view flush up 20m|30m|2h again view flush
  down@impression view flush up 20m|30m failed@impression*1 again flush
  down@all view view query 20m up any@all*1 view up 20m|30m view stats
  refused@impression*30 25x(view) up 20m|30m view stats
  unreadable@impression*30 25x(view) up 20m|30m view stats
  limit5s@impression*30 25x(view) up 20m|30m view stats
  limit30s@impression*1 30x(view view click) flush
  limit5s@impression*1 view event 5m view
  untold@impression*5 view flush 20m view
  hint@impression*1 view flush 20m view flush
  limit150s@impression*1 limit5s@impression*1 (view view) event event
  limit5s@impression*1 limit150s@impression*1 (view view) event event
  limit720h@impression*1 view flush 43170m view flush
  limit2h@impression*1 view flush 90m view flush
  1439m|1109m limit150s@impression*1 view event event
  1439m|1109m until@impression view event flush
  until@impression view event flush
  failed@events view view flush up 20m view flush until@impression view view flush
  view flush limit5s~137ms@impression*1 slow@all 25x(view) event
  view flush slow~1500ms@impression*1 limit30s@impression*1 3x(view)/1s
  view flush spent:recording (view click view click)/1s 20m view flush
  limit150s@impression*1 (view flush query)/1s query
  key@events view event flush 5m event
  key@impression*1 view view flush event
  key@events 25x(view)
  view flush key~2500ms@impression*1 limit5s@impression*3 key@events 5x(view)/1s 10m view
  view flush key~2500ms@impression*1 failed@impression*3 key@events 5x(view)/1s 10m view
  view flush key@impression*1 failed~2500ms@impression*2 key@events 3x(view) 20m
  failed@impression ${"view flush ".repeat(22)}
  failed@events 3x(view) flush 3x(view) flush 20m up 20m failed@impression#3,6,9 ${"view ".repeat(7)}
  failed@events view view flush ${"270m view ".repeat(5)} up 2h view
  failed~137ms@impression*4 slow@all 25x(view) 25x(view)
  refused~137ms@impression*60 slow@all 25x(view) 25x(view)
  late@all*6 view 20x(surfaces payouts stats view) flush
  view 24h|72h click view click
  view again 1m|31m|330m|72h again flush
  ${"25x(view view click) ".repeat(5)}
`);

/** The client is closed or flushed while calls are under way. The flush at the beginning shows that it knows of such work. */
export const closingScenes: readonly Scene[] = scenes(`
  view view flush slow@events*3 (view close)/1s
  view view flush slow@events*3 (view click close)/1s
  view view flush limit5s@events*2 (click close)
  view view flush limit5s@events*2 (view click close)/1s
  view flush slow@events*1 limit5s@events*2 (view flush view flush)/1s
  view flush failed@impression*2 (view click flush)/1s flush
  view flush slow@events*3 (view close close)/1s
  failed@events view (view view close)/1s
  failed@impression*1 view (flush close)
  failed@impression*1 view (close close)
  view close flush event 1m|330m
  stats 1m failed@stats*3 stats close
  view flush failed@stats*3 (stats close)/1s up 1h stats
  view flush failed@events (click view view view) flush up again flush
`);

/** Figures that are asked for again, in an outage, during a limit, around midnight; answers that are wrong. */
export const queryScenes: readonly Scene[] = scenes(`
  stats 59s|61s|1h stats 1s|61s|1110m|24h stats
  stats view click 1s|59s|61s stats
  stats 59s stats 59s stats
  stats 25s stats 25s stats 25s stats
  stats failed@stats ${"25s|45s stats ".repeat(4)}
  failed@stats*1 stats 31s|59s|61s stats
  wrong@stats*1 wrong@surfaces*1 wrong@payouts*1 stats surfaces payouts 1s|61s stats surfaces payouts
  wrong@queries*6 stats 1s|61s surfaces payouts
  doubtful@queries*3 query 1s|61s query
  unreadable@queries*3 query 1s|61s query
  stats 61s|1h limit150s@stats*1 (stats stats)/1s
  refused@queries query up query
  failed@queries query ${"1h stats ".repeat(9)} up 20m|1h stats
  spent:reporting stats stats view query flush
  spent:reporting 4x(query)/1s query
  spent:reporting (stats stats stats view flush)/1s query
  limit150s@stats*1 (stats view flush)/1s event event
  limit5s@stats*1 limit150s@stats*1 (stats stats) query query
  limit24h@stats*1 stats 1410m stats
  hint@stats*1 stats 20m stats
  1439m|1109m until@stats stats query
  limit30s~137ms@stats*1 slow@all (stats surfaces payouts payouts stats stats)
  slow~1500ms@surfaces*1 limit30s@stats*1 (surfaces stats stats)/1s
  key@stats stats query 5m query
  down@queries (stats surfaces payouts stats) query
  refused@queries*1 query slow@all 25x(surfaces payouts stats)
  slow@all 25x(surfaces payouts stats view)
  1110m|24h|8400h|18576h|18624h stats period stats
  view 24h click tomorrow
  payouts view flush 1h|25h|720h payouts
  (payouts payouts stats stats)
  period period period
`);

/** For a client over HTTP: they take seconds of real time, not minutes. */
export const realTimeScenes: readonly Scene[] = scenes(`
  brief@impression*1 view click flush
  brief@click*1 view flush click
  brief@queries*1 query query
  failed@events*2 view flush up again flush
  refused@impression*1 view flush again flush
  limit2s@impression*1 (view view) flush event
  limit2s@stats*1 stats query
  key@events view event event
  view flush slow@events*1 (view close)
  view close flush event
`);

function scenes(text: string): readonly Scene[] {
  return text.trim().split("\n").map(sceneOf);
}
