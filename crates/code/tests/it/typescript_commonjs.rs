//! JavaScript before modules: what assignments define, and what `require` gives.

use crate::{check, files, linked};
use expect_test::{Expect, expect};

/// Every symbol of the one file given: its kind, its path, its lines, and the
/// first line of its comment.
fn check_symbols(text: &str, expected: &Expect) {
    let files = files(text);
    let (facts, _) = linked(&files);
    let mut shown = String::new();
    for (at, def) in facts[0].defs.iter().enumerate().skip(1) {
        if !def.kind.is_symbol() {
            continue;
        }
        let path = facts[0].symbol_path(code::facts::DefId(at as u32));
        let (first, last) = (def.span.start_line, def.span.end_line);
        let doc = def.doc.map(|doc| facts[0].text(doc).lines().next().unwrap_or_default());
        let doc = doc.map(|doc| format!("  {doc}")).unwrap_or_default();
        shown.push_str(&format!("{} {path} {first}-{last}{doc}\n", def.kind.word()));
    }
    expected.assert_eq(&shown);
}

#[test]
fn exported_members_are_found_by_whoever_requires_the_file() {
    check(
        "
--- package.json
{ \"name\": \"root\" }
--- lib/util.js
var helper = require('./helper');
exports.first = function first() { return exports.second(); };
exports.second = () => helper();
module.exports.third = third;
exports.Box = class { open() { return this; } };
exports.again = helper;
exports.inner = require('./helper').inner;
function third() { return new exports.Box(); }
--- lib/helper.js
module.exports = function helper() {};
module.exports.inner = function () {};
--- app.js
var util = require('./lib/util');
var { first, second: other } = require('./lib/util');
util.first();
first();
other();
util.third().open();
new util.Box().open();
util.again();
util.inner();
util.again.inner();
require('./lib/helper')();
require('./lib/helper').inner();
util.nothing();
--- es.mjs
import helper, { inner } from './lib/helper.js';
import util, { third } from './lib/util.js';
helper();
inner();
util.first();
third();
",
        expect![[r#"
            lib/util.js:2 exports.second -> lib/util.js second 95
            lib/util.js:3 helper -> lib/helper.js helper 95
            lib/util.js:8 exports.Box -> lib/util.js Box 95
            app.js:3 util.first -> lib/util.js first 95
            app.js:4 first -> lib/util.js first 95
            app.js:5 other -> lib/util.js second 95
            app.js:6 util.third -> lib/util.js third 95
            app.js:6 util.third().open -> lib/util.js Box.open 85
            app.js:7 util.Box -> lib/util.js Box 95
            app.js:7 util.Box().open -> lib/util.js Box.open 95
            app.js:8 util.again -> lib/helper.js helper 95
            app.js:9 util.inner -> lib/helper.js helper.inner 95
            app.js:10 util.again.inner -> lib/helper.js helper.inner 95
            app.js:11 import 1 -> lib/helper.js helper 95
            app.js:12 import 2.inner -> lib/helper.js helper.inner 95
            app.js:13 util.nothing -- unknown
            es.mjs:3 helper -> lib/helper.js helper 95
            es.mjs:4 inner -> lib/helper.js helper.inner 95
            es.mjs:5 util.first -> lib/util.js first 95
            es.mjs:6 third -> lib/util.js third 95
        "#]],
    );
}

#[test]
fn a_file_may_export_an_object_an_instance_or_what_it_requires() {
    check(
        "
--- object.js
module.exports = {
  plain() { return this.other(); },
  other: function () { return helper; },
  helper,
  renamed: helper,
  sub: require('./instance'),
  get lazy() { return new Log(); },
};
function helper() {}
class Log { write() {} }
--- instance.js
function Pool() { this.size = 1; this.grow = function () { this.take(); }; }
Pool.prototype.take = function () { return this; };
module.exports = new Pool();
--- index.js
module.exports = require('./object');
--- whole.ts
class Whole { static make() { return new Whole(); } run() {} }
export = Whole;
--- use.ts
import Whole = require('./whole');
Whole.make().run();
new Whole().run();
--- use.js
const object = require('.');
const { plain, helper } = require('./index');
object.plain();
plain();
helper();
object.renamed();
object.sub.take().take();
object.sub.grow();
object.lazy.write();
require('./instance').take();
",
        expect![[r#"
            object.js:2 self.other -> object.js other 95
            object.js:7 Log -> object.js Log 95
            instance.js:1 self.take -> instance.js Pool.take 95
            instance.js:3 Pool -> instance.js Pool 95
            whole.ts:1 Whole -> whole.ts Whole 95
            use.ts:2 Whole.make -> whole.ts Whole.make 95
            use.ts:2 Whole.make().run -> whole.ts Whole.run 85
            use.ts:3 Whole -> whole.ts Whole 95
            use.ts:3 Whole().run -> whole.ts Whole.run 95
            use.js:3 object.plain -> object.js plain 95
            use.js:4 plain -> object.js plain 95
            use.js:5 helper -> object.js helper 95
            use.js:6 object.renamed -> object.js helper 95
            use.js:7 object.sub.take -> instance.js Pool.take 85
            use.js:7 object.sub.take().take -> instance.js Pool.take 85
            use.js:8 object.sub.grow -> instance.js Pool.grow 85
            use.js:9 object.lazy.write -> object.js Log.write 85
            use.js:10 import 1.take -> instance.js Pool.take 85
        "#]],
    );
}

#[test]
fn constructor_functions_are_classes_with_methods_and_bases() {
    check(
        "
--- a.js
var util = require('util');
var Emitter = require('events').EventEmitter;
module.exports = Task;
function Base() { if (!(this instanceof Base)) return new Base(); }
Base.prototype.stop = function stop() { return this; };
util.inherits(Task, Base);
function Task(log) {
  Base.call(this);
  this.log = new Log();
}
Task.prototype.run = function () {
  this.log.write();
  this.stop().run();
  Base.prototype.stop.call(this);
  return this;
};
Task.make = function () { return new this().run(); };
function Log() {}
Log.prototype = { constructor: Log, write: function () { this.flush(); }, flush() {} };
Object.assign(Log.prototype, { close: function () { this.write(); } });
var Fast = function Fast() { Task.call(this); };
Fast.prototype = Object.create(Task.prototype);
Fast.prototype.go = function () { this.run(); };
function Wire() { this.log = 1; }
Wire.prototype.__proto__ = Emitter.prototype;
Wire.prototype.send = function () { this.emit('x'); this.nothing(); };
--- b.js
var Task = require('./a');
var task = new Task();
task.run().stop();
Task.make();
Task().run();
",
        expect![[r#"
            a.js:4 Base -> a.js Base 95
            a.js:6 util.inherits -- external
            a.js:8 Base.call -> a.js Base 95
            a.js:9 Log -> a.js Log 95
            a.js:12 self.log.write -> a.js Log.write 85
            a.js:13 self.stop -> a.js Base.stop 95
            a.js:13 self.stop().run -> a.js Task.run 85
            a.js:14 Base.prototype.stop.call -> a.js Base.stop 95
            a.js:17 self().run -> a.js Task.run 95
            a.js:19 self.flush -> a.js Log.flush 95
            a.js:20 Object.assign -- external
            a.js:20 self.write -> a.js Log.write 95
            a.js:21 Task.call -> a.js Task 95
            a.js:22 Object.create -- external
            a.js:23 self.run -> a.js Task.run 95
            a.js:26 self.emit -- external
            a.js:26 self.nothing -- external
            b.js:2 Task -> a.js Task 95
            b.js:3 task.run -> a.js Task.run 85
            b.js:3 task.run().stop -> a.js Base.stop 85
            b.js:4 Task.make -> a.js Task.make 95
            b.js:5 Task -> a.js Task 95
            b.js:5 Task().run -> a.js Task.run 95
            a.js Task inherits a.js Base
            a.js Fast inherits a.js Task
        "#]],
    );
}

#[test]
fn members_of_objects_and_functions_are_theirs() {
    check(
        "
--- lib/res.js
var http = require('http');
var res = Object.create(http.ServerResponse.prototype);
module.exports = res;
res.status = function status(code) { return this; };
res.contentType = res.type = function contentType(type) { return this.status(type); };
res.send = function send(body) {
  this.status(200).type('x');
  this.setHeader('a', 'b');
  return send(body);
};
defineGetter(res, 'app', function app() { return this.status(1); });
function defineGetter(obj, name, getter) {}
--- lib/app.js
var app = exports = module.exports = {};
app.init = function () { this.cache = new Map(); this.use(); };
app.use = function use() { return this; };
--- lib/index.js
var proto = require('./app');
var mixin = require('merge-descriptors');
exports = module.exports = create;
function create() {
  var app = function () { app.use(); };
  mixin(app, proto, false);
  app.init();
  return app;
}
exports.response = require('./res');
exports.proto = proto;
--- main.js
var create = require('./lib');
var app = create();
app.use().use();
create.response.send();
create.response.app.status();
create.proto.init();
",
        expect![[r#"
            lib/res.js:2 Object.create -- external
            lib/res.js:5 self.status -> lib/res.js res.status 95
            lib/res.js:7 self.status -> lib/res.js res.status 95
            lib/res.js:7 self.status().type -> lib/res.js res.type 85
            lib/res.js:8 self.setHeader -- external
            lib/res.js:9 send -> lib/res.js res.send 95
            lib/res.js:11 defineGetter -> lib/res.js defineGetter 95
            lib/res.js:11 self.status -> lib/res.js res.status 95
            lib/app.js:2 Map -- external
            lib/app.js:2 self.use -> lib/app.js app.use 95
            lib/index.js:5 app.use -> lib/app.js app.use 95
            lib/index.js:6 mixin -- external
            lib/index.js:7 app.init -> lib/app.js app.init 95
            main.js:2 create -> lib/index.js create 95
            main.js:3 app.use -> lib/app.js app.use 85
            main.js:3 app.use().use -> lib/app.js app.use 85
            main.js:4 create.response.send -> lib/res.js res.send 85
            main.js:5 create.response.app.status -> lib/res.js res.status 85
            main.js:6 create.proto.init -> lib/app.js app.init 85
        "#]],
    );
}

#[test]
fn code_in_a_wrapper_is_code_of_the_file() {
    check(
        "
--- umd.js
(function (root, factory) {
  if (typeof define === 'function' && define.amd) define(['exports'], factory);
  else factory(exports);
})(this, function (exports) {
  var tools = {};
  tools.sort = function () { return tools.pick(); };
  tools.pick = function () {};
  function Shape() {}
  Shape.prototype.area = function () { return this.area(); };
  exports.tools = tools;
  exports.Shape = Shape;
});
--- es5.js
var Point = (function () {
  function Point(x) { this.x = x; }
  Point.prototype.move = function () { return this; };
  return Point;
})();
module.exports = Point;
--- use.js
var umd = require('./umd');
var Point = require('./es5');
umd.tools.sort();
new umd.Shape().area();
new Point(1).move().move();
",
        expect![[r#"
            umd.js:2 define -- unknown
            umd.js:3 factory -- value
            umd.js:6 tools.pick -> umd.js tools.pick 85
            umd.js:9 self.area -> umd.js Shape.area 95
            use.js:3 umd.tools.sort -> umd.js tools.sort 85
            use.js:4 umd.Shape -> umd.js Shape 95
            use.js:4 umd.Shape().area -> umd.js Shape.area 95
            use.js:5 Point -> es5.js Point 95
            use.js:5 Point().move -> es5.js Point.move 95
            use.js:5 Point().move().move -> es5.js Point.move 85
        "#]],
    );
}

#[test]
fn what_is_not_the_files_own_stays_unbound() {
    check(
        "
--- a.js
var fs = require('fs');
function Shape() {}
Shape.prototype.area = function () {};
function mix(Shape, exports, module) {
  Shape.prototype.area = function () {};
  Shape.prototype.other = function () {};
  exports.hidden = function () {};
  module.exports.hidden = function () {};
  exports.visible();
}
function local() {
  var object = {};
  object.run = function () {};
  object.run();
  return object;
}
fs.patched = function () {};
fs.patched();
new Shape().other();
exports.visible = function visible() { visible(); };
local().run();
--- b.js
var a = require('./a');
a.hidden();
a.visible();
a.patched();
",
        expect![[r#"
            a.js:9 exports.visible -- unknown
            a.js:14 object.run -- unknown
            a.js:18 fs.patched -- external
            a.js:19 Shape -> a.js Shape 95
            a.js:19 Shape().other -- unknown
            a.js:20 visible -> a.js visible 95
            a.js:21 local -> a.js local 95
            a.js:21 local().run -- unknown
            b.js:2 a.hidden -- unknown
            b.js:3 a.visible -> a.js visible 95
            b.js:4 a.patched -- unknown
        "#]],
    );
}

#[test]
fn symbols_have_the_lines_and_comments_of_their_statements() {
    check_symbols(
        "
--- lib/res.js
/**
 * The prototype.
 */
var res = module.exports = {};

/**
 * Sends a body.
 */
res.send = function send(body) {
  return body;
};

/** Twice, on a condition. */
if (process.env.OLD) {
  res.get = function () { return 1; };
} else {
  res.get = function () { return 2; };
}

/** A view. */
function View(name) {
  this.name = name;
}

/** Looks up. */
View.prototype.lookup = function () {
};

exports.limit = 10;
exports.later = void 0;
res.alias = res.send;
Object.defineProperty(View.prototype, 'size', {
  get: function () { return 1; }
});
",
        &expect![[r#"
            class View 21-23  A view.
            var res 4-4  The prototype.
            method res.send 9-11  Sends a body.
            method res.get 15-15  Twice, on a condition.
            method View.constructor 21-23
            field View.name 22-22
            method View.lookup 26-27  Looks up.
            field res.limit 29-29
            field res.alias 31-31
            method View.size 32-34
        "#]],
    );
}

/// fastify: 1,492 calls of what `require('..')` gives were tied to nothing, since a file of
/// declarations lies beside the script.
#[test]
fn a_script_requires_the_script_and_not_its_declarations() {
    check(
        "
--- package.json
{ \"name\": \"fast\", \"main\": \"fast.js\", \"types\": \"fast.d.ts\" }
--- fast.js
function fast (options) { return { get: function get () {} } }
module.exports = fast
module.exports.fast = fast
module.exports.default = fast
--- fast.d.ts
declare function fast(options: string): number
declare namespace fast { type Fast = typeof fast }
export = fast
--- test/a.test.js
const Fast = require('..')
Fast()
--- test/b.test.js
const Fast = require('../fast')
Fast()
--- test/c.test.js
const { fast } = require('fast')
fast()
",
        expect![[r#"
            test/a.test.js:2 Fast -> fast.js fast 95
            test/b.test.js:2 Fast -> fast.js fast 95
            test/c.test.js:2 fast -> fast.js fast 95
        "#]],
    );
}
