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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        &expect![[""]],
    );
}
