//! Python: scopes, imports, receivers.

use crate::check;
use expect_test::expect;

#[test]
fn imports_are_followed_through_packages_and_aliases() {
    check(
        "
--- app/__init__.py
from .core import run as run
from . import tools
--- app/core.py
def run(): helper()
def helper(): pass
--- app/tools/__init__.py
from .hammer import *
--- app/tools/hammer.py
def hit(): pass
--- main.py
import app
import app.core as core
from app import tools as t, run
import json

app.run()
core.helper()
t.hit()
run()
json.dumps({})
",
        expect![[r#"
            app/core.py:1 helper -> app/core.py helper 95
            main.py:6 app.run -> app/core.py run 95
            main.py:7 core.helper -> app/core.py helper 95
            main.py:8 t.hit -> app/tools/hammer.py hit 95
            main.py:9 run -> app/core.py run 95
            main.py:10 json.dumps -- external
        "#]],
    );
}

#[test]
fn parameters_and_locals_hide_functions() {
    check(
        "
--- a.py
def work(): pass

def takes(work):
    work()

def assigns(other):
    work = other
    work()

def calls():
    work()
    def inner(): work()
    return [work() for work in ()]
",
        expect![[r#"
            a.py:4 work -- value
            a.py:8 work -- value
            a.py:11 work -> a.py work 95
            a.py:12 work -> a.py work 95
            a.py:13 work -- value
        "#]],
    );
}

#[test]
fn receivers_are_followed_through_fields_results_and_bases() {
    check(
        "
--- a.py
from __future__ import annotations

class Engine:
    def start(self) -> Engine: return self
    def stop(self): pass

class Car:
    wheels: list[Wheel]
    def __init__(self, spare: Engine | None = None):
        self.engine = Engine()
        self.spare = spare
    def drive(self):
        self.engine.start().stop()
        self.spare.stop()
        self.honk()
        for wheel in self.wheels:
            wheel.turn()
    @property
    def motor(self): return self.engine
    @classmethod
    def build(cls): return cls()

class Wheel:
    def turn(self): pass

class Truck(Car):
    def drive(self):
        super().drive()
        self.motor.stop()

def use(x):
    Truck.build().drive()
    x.drive()
    if isinstance(x, Car):
        x.drive()
    with open('f') as f:
        f.drive()
",
        expect![[r#"
            a.py:10 Engine -> a.py Engine 95
            a.py:13 self.engine.start -> a.py Engine.start 85
            a.py:13 self.engine.start().stop -> a.py Engine.stop 85
            a.py:14 self.spare.stop -> a.py Engine.stop 85
            a.py:15 self.honk -- unknown
            a.py:17 wheel.turn -> a.py Wheel.turn 85
            a.py:21 cls -- value
            a.py:28 super -- external
            a.py:28 super.drive -> a.py Car.drive 95
            a.py:29 self.motor.stop -> a.py Engine.stop 85
            a.py:32 Truck.build -> a.py Car.build 95
            a.py:32 Truck.build().drive -> a.py Truck.drive 85
            a.py:33 x.drive -- unknown
            a.py:34 isinstance -- external
            a.py:35 x.drive -> a.py Car.drive 90
            a.py:36 open -- external
            a.py:37 f.drive -- unknown
            a.py Truck inherits a.py Car
            a.py Truck.drive overrides a.py Car.drive
        "#]],
    );
}

#[test]
fn a_test_gets_what_its_fixture_gives() {
    check(
        "
--- tests/conftest.py
import pytest
from app import App

@pytest.fixture
def app():
    app = App()
    yield app
--- tests/test_app.py
def test_run(app, unknown):
    app.run()
    unknown.run()
--- app.py
class App:
    def run(self): pass
",
        expect![[r#"
            tests/conftest.py:6 App -> app.py App 95
            tests/test_app.py:2 app.run -> app.py App.run 70
            tests/test_app.py:3 unknown.run -- unknown
        "#]],
    );
}

#[test]
fn a_value_of_the_same_class_and_operators_of_known_values() {
    check(
        r#"
--- m.py
class Empty: ...

class Query:
    def clone(self):
        obj = Empty()
        obj.__class__ = self.__class__
        return obj

    def fresh(self):
        return self.__class__(1)

    def clear(self): ...

    def __and__(self, other):
        return self

    def use(self, unknown):
        q = self.clone()
        q.clear()
        self.fresh().clear()
        both = q & self
        both.clear()
        unknown | q
"#,
        expect![[r#"
            m.py:5 Empty -> m.py Empty 95
            m.py:10 self.__class__ -- unknown
            m.py:18 self.clone -> m.py Query.clone 95
            m.py:19 q.clear -> m.py Query.clear 85
            m.py:20 self.fresh -> m.py Query.fresh 95
            m.py:20 self.fresh().clear -> m.py Query.clear 85
            m.py:21 q.__and__ -> m.py Query.__and__ 85
            m.py:22 both.clear -> m.py Query.clear 85
            m.py:23 unknown.__or__ -- unknown
        "#]],
    );
}

#[test]
fn a_documented_result_is_known_where_the_code_does_not_show_it() {
    check(
        "
--- web/__init__.py
from .models import Answer
--- web/models.py
class Answer:
    def json(self): pass
class Better(Answer):
    def json(self): pass
--- web/api.py
from . import models
HANDLERS = {}

def by_full_name(url):
    \"\"\"Asks.

    :rtype: web.Answer
    \"\"\"
    return HANDLERS[url](url)

def by_name_here(url):
    ''':rtype: :class:`models.Answer`'''
    return HANDLERS[url](url)

def shown_by_code(url):
    ''':rtype: web.Answer'''
    return models.Better()

def no_class(url):
    ''':rtype: dict'''
    return HANDLERS[url](url)

def unknown_class(url):
    ''':rtype: other.Answer'''
    return HANDLERS[url](url)

def each(urls):
    ''':rtype: web.Answer'''
    for url in urls:
        yield HANDLERS[url](url)
--- main.py
from web import api

def main(url):
    api.by_full_name(url).json()
    api.by_name_here(url).json()
    api.shown_by_code(url).json()
    api.no_class(url).json()
    api.unknown_class(url).json()
    api.each(url).json()
",
        expect![[r#"
            web/api.py:17 models.Better -> web/models.py Better 95
            main.py:4 api.by_full_name -> web/api.py by_full_name 95
            main.py:4 api.by_full_name().json -> web/models.py Answer.json 85
            main.py:5 api.by_name_here -> web/api.py by_name_here 95
            main.py:5 api.by_name_here().json -> web/models.py Answer.json 85
            main.py:6 api.shown_by_code -> web/api.py shown_by_code 95
            main.py:6 api.shown_by_code().json -> web/models.py Better.json 85
            main.py:7 api.no_class -> web/api.py no_class 95
            main.py:7 api.no_class().json -- unknown
            main.py:8 api.unknown_class -> web/api.py unknown_class 95
            main.py:8 api.unknown_class().json -- external
            main.py:9 api.each -> web/api.py each 95
            main.py:9 api.each().json -- external
            web/models.py Better inherits web/models.py Answer
            web/models.py Better.json overrides web/models.py Answer.json
        "#]],
    );
}
