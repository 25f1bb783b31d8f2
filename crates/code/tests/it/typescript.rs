//! TypeScript: modules, classes, interfaces, generics, callbacks.

use crate::check;
use expect_test::expect;

#[test]
fn modules_are_followed_through_barrels_aliases_and_packages() {
    check(
        "
--- package.json
{ \"name\": \"root\" }
--- tsconfig.json
{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"src/*\"], }, }, } // comments are fine
--- packages/kit/package.json
{ \"name\": \"@me/kit\", \"exports\": { \".\": { \"import\": \"./dist/index.js\" } } }
--- packages/kit/src/index.ts
export * from './string.js';
export { helper as assist, default as Box } from './box';
--- packages/kit/src/string.ts
export function pad() {}
const cut = pad;
export { cut as trim };
--- packages/kit/src/box.ts
export const helper = () => pad();
export default class Box { open() { return this; } }
--- src/app.ts
import * as kit from '@me/kit';
import Default, { helper } from '../packages/kit/src/box';
import { local } from '@/util';
import { test } from 'vitest';

kit.pad();
kit.trim();
kit.assist();
new kit.Box().open().open();
new Default();
helper();
local();
test('x', async () => { (await import('./util')).local(); });
--- src/util.ts
export function local() {}
",
        expect![[r#"
            packages/kit/src/box.ts:1 pad -- unknown
            src/app.ts:6 kit.pad -> packages/kit/src/string.ts pad 95
            src/app.ts:7 kit.trim -> packages/kit/src/string.ts pad 85
            src/app.ts:8 kit.assist -> packages/kit/src/box.ts helper 95
            src/app.ts:9 kit.Box -> packages/kit/src/box.ts Box 95
            src/app.ts:9 kit.Box().open -> packages/kit/src/box.ts Box.open 95
            src/app.ts:9 kit.Box().open().open -> packages/kit/src/box.ts Box.open 85
            src/app.ts:10 Default -> packages/kit/src/box.ts Box 95
            src/app.ts:11 helper -> packages/kit/src/box.ts helper 95
            src/app.ts:12 local -> src/util.ts local 95
            src/app.ts:13 => vitest test
            src/app.ts:13 import 1.local -> src/util.ts local 95
        "#]],
    );
}

#[test]
fn receivers_are_followed_through_classes_interfaces_and_callbacks() {
    check(
        "
--- a.ts
interface Node<T> { value(): T; next?: Node<T>; }
abstract class Base {
  static make() { return new this(); }
  abstract run(): void;
  stop(): this { return this; }
}
class Task extends Base {
  constructor(private readonly log: Log, public nodes: Node<Log>[] = []) { super(); }
  run = () => { this.log.write('x'); };
  get logger() { return this.log; }
}
class Log { write(s: string) {} }
type Pair = { left: Task; right(): Log };
function first<T>(items: T[]): T { return items[0]; }
async function load(): Promise<Task> { return new Task(new Log()); }
async function use(pair: Pair, run: () => void) {
  pair.left.stop().run();
  pair.right().write('');
  run();
  (await load()).logger.write('');
  const task = await load();
  task.nodes.map((node) => node.value()).forEach((log) => log.write(''));
  first(task.nodes).next?.value().write('');
  const { left } = pair;
  left.stop();
  const object = { go() { return new Log(); }, deep: { log: new Log() } };
  object.go().write('');
  object.deep.log.write('');
  Task.make();
}
",
        expect![[r#"
            a.ts:9 self.log.write -> a.ts Log.write 90
            a.ts:15 Task -> a.ts Task 95
            a.ts:15 Log -> a.ts Log 95
            a.ts:17 pair.left.stop -> a.ts Base.stop 90
            a.ts:17 pair.left.stop().run -> a.ts Task.run 90
            a.ts:18 pair.right -> a.ts Pair.right 90
            a.ts:18 pair.right().write -> a.ts Log.write 90
            a.ts:19 run -- value
            a.ts:20 load -> a.ts load 95
            a.ts:20 load().logger.write -> a.ts Log.write 85
            a.ts:21 load -> a.ts load 95
            a.ts:22 task.nodes.map -- external
            a.ts:22 node.value -> a.ts Node.value 85
            a.ts:22 task.nodes.map().forEach -- external
            a.ts:22 log.write -> a.ts Log.write 85
            a.ts:23 first -> a.ts first 95
            a.ts:23 first().next.value -> a.ts Node.value 85
            a.ts:23 first().next.value().write -> a.ts Log.write 85
            a.ts:25 left.stop -> a.ts Base.stop 85
            a.ts:26 Log -> a.ts Log 95
            a.ts:26 Log -> a.ts Log 95
            a.ts:27 object.go -> a.ts use.go 85
            a.ts:27 object.go().write -> a.ts Log.write 85
            a.ts:28 object.deep.log.write -> a.ts Log.write 85
            a.ts:29 Task.make -> a.ts Base.make 95
            a.ts Task inherits a.ts Base
            a.ts Task.run overrides a.ts Base.run
        "#]],
    );
}

/// A declared type says what the parameters of a function are that is written for it,
/// also through the signatures of a type that can be called.
#[test]
fn declared_types_of_functions() {
    check(
        "
--- a.ts
export class Ctx<E = any> {
  text: (s: string) => Reply = (s) => { this.note(s); return new Reply() }
  note(s: string) {}
}
export class Reply { send() {} }
type Handler<E = any> = (c: Ctx<E>, next: () => void) => any
type Mid<E = any> = (c: Ctx<E>, next: () => void) => Promise<void>
type H<E = any> = Handler<E> | Mid<E>
interface Add<E = any, Base = '/'> {
  // one
  <R>(handler: H<E>): App<E>

  // two
  <P extends string, R>(path: P, handler: H<E>): App<E>
  <P extends string>(path: P, ...handlers: [H<E>, H<E>]): App<E>
}
interface Odd {
  (path: string, done: (c: Ctx) => void): void
  (path: number, done: (r: Reply) => void): void
}
export class App<E = any> { get!: Add<E>; odd!: Odd }
const app = new App()
app.get('/', (c) => c.text('x').send())
app.get('/', (c) => c.text('y'), async ({ note }, next) => {}).get((c) => c.note('z'))
app.odd('/', (c) => c.note('?'))
const named: Handler = (c) => c.note('n')
function made(): Handler { return (c) => c.note('m') }
const short = (): Mid => async (c) => { c.note('s') }
async function load<T>(s: string): Promise<Reply> { return new Reply() }
async function use() {
  const reply = await load<string>('a')
  reply.send()
  tools.load<string>('b')
  tools.made()
}
const tools = { load, made }
",
        expect![[r#"
            a.ts:2 self.note -> a.ts Ctx.note 95
            a.ts:2 Reply -> a.ts Reply 95
            a.ts:22 App -> a.ts App 95
            a.ts:23 app.get -- value
            a.ts:23 c.text -> a.ts Ctx.text 85
            a.ts:23 c.text().send -> a.ts Reply.send 85
            a.ts:24 app.get -- value
            a.ts:24 c.text -> a.ts Ctx.text 85
            a.ts:24 app.get().get -- value
            a.ts:24 c.note -> a.ts Ctx.note 85
            a.ts:25 app.odd -- value
            a.ts:25 c.note -- unknown
            a.ts:26 c.note -> a.ts Ctx.note 85
            a.ts:27 c.note -> a.ts Ctx.note 85
            a.ts:28 c.note -> a.ts Ctx.note 85
            a.ts:29 Reply -> a.ts Reply 95
            a.ts:31 load -> a.ts load 95
            a.ts:32 reply.send -> a.ts Reply.send 85
            a.ts:33 tools.load -> a.ts load 85
            a.ts:34 tools.made -> a.ts made 85
        "#]],
    );
}
