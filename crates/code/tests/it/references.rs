//! Names that are mentioned and not called: constants, types, functions as
//! values. Parameters and locals hide them, and what is called is not said twice.

use crate::check_references;
use expect_test::expect;

#[test]
fn python_names_constants_types_and_functions() {
    check_references(
        "
--- app/__init__.py
--- app/config.py
LIMIT = 10
name = 'x'
class Color:
    RED = 1
def handler(event): pass
def other(): pass
--- app/main.py
from __future__ import annotations
from app import config
from app.config import LIMIT, Color as Colour, handler, other
from typing import Optional

TABLE = {'a': handler, 'b': other}

def bounded(n: int) -> int:
    return min(n, LIMIT)

def shadowed(LIMIT, handler):
    return LIMIT, handler

def local():
    LIMIT = 3
    return LIMIT

def signature(colour: Optional[Colour]) -> list[Colour]:
    return [c for c in colour if c is config.name]

def calls():
    handler(1)
    return handler

def registers(bus):
    bus.on('x', handler)
    bus.on('y', lambda e: other)
    return Colour.RED

@other
def decorated(): pass

class Shop:
    colour: Colour
    @property
    def size(self): return 1
    def run(self):
        return self.size, self.run
def use(shop: Shop):
    return shop.size
",
        expect![[r#"
            app/main.py:6 TABLE -> app/config.py handler 95
            app/main.py:6 TABLE -> app/config.py other 95
            app/main.py:9 bounded -> app/config.py LIMIT 95
            app/main.py:18 signature -> app/config.py Color 95
            app/main.py:19 signature -> app/config.py name 95
            app/main.py:26 registers -> app/config.py handler 95
            app/main.py:27 registers -> app/config.py other 95
            app/main.py:28 registers -> app/config.py Color 95
            app/main.py:28 registers -> app/config.py Color.RED 95
            app/main.py:30 decorated -> app/config.py other 95
            app/main.py:34 Shop -> app/config.py Color 95
            app/main.py:38 Shop.run -> app/main.py Shop.size 95
            app/main.py:39 use -> app/main.py Shop 95
            app/main.py:40 use -> app/main.py Shop.size 90
        "#]],
    );
}

#[test]
fn typescript_names_constants_types_and_functions() {
    check_references(
        "
--- src/config.ts
export const LIMIT = 10
export interface Options { limit: number }
export type Key = keyof Options
export enum Level { Low, High }
export class Store { get() { return LIMIT } }
export function handler(e: string) {}
export default function main() {}
--- src/app.ts
import run, { LIMIT as MAX, type Options, Level, Store, handler } from './config'
import * as config from './config'

const table = { a: handler, b: run }

export function bounded(n: number) { return Math.min(n, MAX) }
export function shadowed(MAX: number, handler: () => void) { return [MAX, handler] }
export function local() { const MAX = 1; return MAX }
export const typed = (o: Options): Store | undefined => undefined
export function calls() { handler('x'); return handler }
export function levels(x: unknown) { return x as Level === Level.High ? config.LIMIT : 0 }
export type Picked<T> = T extends Options ? Store : never
export class Service {
  options: Options
  constructor(private store: Store) {}
  start() { setTimeout(this.tick, MAX) }
  tick() {}
}
",
        expect![[r#"
            src/config.ts:3 Key -> src/config.ts Options 95
            src/config.ts:5 Store.get -> src/config.ts LIMIT 95
            src/app.ts:4 table -> src/config.ts handler 95
            src/app.ts:4 table -> src/config.ts main 95
            src/app.ts:6 bounded -> src/config.ts LIMIT 95
            src/app.ts:9 typed -> src/config.ts Options 95
            src/app.ts:9 typed -> src/config.ts Store 95
            src/app.ts:11 levels -> src/config.ts LIMIT 95
            src/app.ts:11 levels -> src/config.ts Level 95
            src/app.ts:11 levels -> src/config.ts Level.High 95
            src/app.ts:12 Picked -> src/config.ts Options 95
            src/app.ts:12 Picked -> src/config.ts Store 95
            src/app.ts:14 Service -> src/config.ts Options 95
            src/app.ts:15 Service.constructor -> src/config.ts Store 95
            src/app.ts:16 Service.start -> src/app.ts Service.tick 95
            src/app.ts:16 Service.start -> src/config.ts LIMIT 95
        "#]],
    );
}

#[test]
fn go_names_constants_types_and_functions() {
    check_references(
        "
--- go.mod
module example.com/shop
--- shop/config.go
package shop

const Limit = 10
var ErrFull = newError()
type Color int
const (
	Red Color = iota
	Blue
)
type Handler func(string)
func newError() error { return nil }
func Handle(s string) {}
--- shop/shop.go
package shop

type Shop struct {
	color Color
	on Handler
}
func (s *Shop) Run() error {
	if len(s.items()) > Limit {
		return ErrFull
	}
	s.on = Handle
	return nil
}
func (s *Shop) items() []Color { return nil }
func shadowed(Limit int) int { return Limit }
--- main.go
package main

import sh \"example.com/shop/shop\"

var table = map[string]sh.Handler{\"a\": sh.Handle}

func main() {
	switch x := pick().(type) {
	case *sh.Shop:
		x.Run()
	}
	println(sh.Limit)
}
func pick() interface{} { return sh.Blue }
",
        expect![[r#"
            shop/config.go:7 Red -> shop/config.go Color 95
            shop/shop.go:4 Shop -> shop/config.go Color 95
            shop/shop.go:5 Shop -> shop/config.go Handler 95
            shop/shop.go:7 Shop.Run -> shop/shop.go Shop 95
            shop/shop.go:8 Shop.Run -> shop/config.go Limit 95
            shop/shop.go:9 Shop.Run -> shop/config.go ErrFull 95
            shop/shop.go:11 Shop.Run -> shop/config.go Handle 95
            shop/shop.go:11 Shop.Run writes shop/shop.go Shop.on 90
            shop/shop.go:14 Shop.items -> shop/config.go Color 95
            shop/shop.go:14 Shop.items -> shop/shop.go Shop 95
            main.go:5 table -> shop/config.go Handle 95
            main.go:5 table -> shop/config.go Handler 95
            main.go:9 main -> shop/shop.go Shop 95
            main.go:12 main -> shop/config.go Limit 95
            main.go:14 pick -> shop/config.go Blue 95
        "#]],
    );
}

#[test]
fn rust_names_constants_types_and_functions() {
    check_references(
        "
--- Cargo.toml
[package]
name = \"shop\"
--- src/lib.rs
pub mod config;
pub mod app;
--- src/config.rs
pub const LIMIT: usize = 10;
pub static NAMES: &[&str] = &[];
pub enum Color { Red, Blue(u8) }
pub struct Store;
pub trait Sink { fn put(&self, c: Color); }
pub fn handler(e: u8) {}
--- src/app.rs
use crate::config::{self, handler, Color as Colour, Sink, Store, LIMIT};

pub struct App { store: Store, colour: Option<Colour> }

impl Sink for App {
    fn put(&self, c: Colour) {
        match c {
            Colour::Red => {}
            Colour::Blue(_) => {}
        }
    }
}
impl App {
    pub fn bounded(&self, n: usize) -> usize { n.min(LIMIT) }
    pub fn new() -> Self { App { store: Store, colour: None } }
}
fn shadowed(handler: u8) -> u8 { handler }
fn passes(v: Vec<u8>) { v.into_iter().for_each(handler); handler(1) }
fn calls() { handler(1); let f = handler; }
fn asserts() { assert_eq!(config::NAMES, config::LIMIT); }
fn boxed(s: &dyn Sink) -> Box<Store> { todo!() }
mod tests {
    use super::*;
    fn uses() -> App { println!(\"{}\", LIMIT); App::new() }
}
",
        expect![[r#"
            src/config.rs:5 Sink.put -> src/config.rs Color 95
            src/app.rs:3 App -> src/config.rs Color 95
            src/app.rs:3 App -> src/config.rs Store 95
            src/app.rs:6 App.put -> src/config.rs Color 95
            src/app.rs:8 App.put -> src/config.rs Color.Red 95
            src/app.rs:9 App.put -> src/config.rs Color.Blue 95
            src/app.rs:14 App.bounded -> src/config.rs LIMIT 95
            src/app.rs:15 App.new -> src/app.rs App 95
            src/app.rs:15 App.new -> src/config.rs Store 95
            src/app.rs:20 asserts -> src/config.rs LIMIT 95
            src/app.rs:20 asserts -> src/config.rs NAMES 95
            src/app.rs:21 boxed -> src/config.rs Sink 95
            src/app.rs:21 boxed -> src/config.rs Store 95
            src/app.rs:24 tests.uses -> src/app.rs App 95
            src/app.rs:24 tests.uses -> src/config.rs LIMIT 95
        "#]],
    );
}

#[test]
fn java_names_types_constants_and_methods() {
    check_references(
        "
--- shop/Config.java
package shop;
public class Config {
    public static final int LIMIT = 10;
    public static void log(String s) {}
}
--- shop/Color.java
package shop;
public enum Color { RED, BLUE }
--- app/App.java
package app;
import java.util.List;
import shop.Color;
import shop.Config;
import static shop.Config.LIMIT;

public class App {
    private Color color = Color.RED;
    int bounded(int n) { return Math.min(n, Config.LIMIT); }
    int imported() { return LIMIT; }
    int shadowed(int LIMIT) { return LIMIT; }
    List<Color> all(List<String> names) {
        names.forEach(Config::log);
        return null;
    }
    Object cast(Object o) { return o instanceof Color ? (Color) o : null; }
}
",
        expect![[r#"
            app/App.java:8 App -> shop/Color.java Color 95
            app/App.java:8 App -> shop/Color.java Color.RED 95
            app/App.java:9 App.bounded -> shop/Config.java Config 95
            app/App.java:9 App.bounded -> shop/Config.java Config.LIMIT 95
            app/App.java:10 App.imported -> shop/Config.java Config.LIMIT 95
            app/App.java:12 App.all -> shop/Color.java Color 95
            app/App.java:13 App.all -> shop/Config.java Config 95
            app/App.java:13 App.all -> shop/Config.java Config.log 95
            app/App.java:16 App.cast -> shop/Color.java Color 95
        "#]],
    );
}

#[test]
fn csharp_names_types_constants_and_methods() {
    check_references(
        "
--- Shop/Config.cs
namespace Shop;
public static class Config {
    public const int Limit = 10;
    public static void Log(string s) {}
}
public enum Color { Red, Blue }
--- App/App.cs
using Shop;
using System;
namespace App;

public class Main {
    private Color color = Color.Red;
    public event Action<string> Done;
    int Bounded(int n) => Math.Min(n, Config.Limit);
    int Shadowed(int Limit) => Limit;
    Color? Pick(object o) {
        Done += Config.Log;
        return o as Color?;
    }
}
",
        expect![[r#"
            App/App.cs:6 Main -> Shop/Config.cs Color 95
            App/App.cs:6 Main -> Shop/Config.cs Color.Red 95
            App/App.cs:8 Main.Bounded -> Shop/Config.cs Config 95
            App/App.cs:8 Main.Bounded -> Shop/Config.cs Config.Limit 95
            App/App.cs:10 Main.Pick -> Shop/Config.cs Color 95
            App/App.cs:11 Main.Pick -> Shop/Config.cs Config 95
            App/App.cs:11 Main.Pick -> Shop/Config.cs Config.Log 95
            App/App.cs:11 Main.Pick reads App/App.cs Main.Done 95
        "#]],
    );
}

#[test]
fn c_and_cpp_name_types_constants_and_functions() {
    check_references(
        "
--- shop.h
#pragma once
typedef struct { int n; } shop_t;
enum color { RED, BLUE };
extern int shop_limit;
void shop_log(const char *s);
--- shop.c
#include \"shop.h\"
int shop_limit = 10;
void shop_log(const char *s) {}
--- app.c
#include \"shop.h\"
typedef void (*sink)(const char *);
static sink table[] = { shop_log };
int bounded(shop_t *shop) { return shop->n < shop_limit ? 1 : RED; }
int shadowed(int shop_limit) { return shop_limit; }
--- app.cpp
#include \"shop.h\"
namespace app {
class Till { public: shop_t shop; };
Till *open(enum color c) { return nullptr; }
}
",
        expect![[r#"
            app.c:3 table -> app.c sink 95
            app.c:3 table -> shop.c shop_log 95
            app.c:4 bounded -> shop.c shop_limit 95
            app.c:4 bounded -> shop.h shop_t 95
            app.c:4 bounded reads shop.h shop_t.n 90
            app.cpp:3 app.Till -> shop.h shop_t 95
            app.cpp:4 app.open -> app.cpp app.Till 95
            app.cpp:4 app.open -> shop.h color 95
        "#]],
    );
}

#[test]
fn ruby_and_php_name_constants_and_classes() {
    check_references(
        "
--- lib/shop.rb
module Shop
  LIMIT = 10
  class Cart
    MOST = 3
  end
  def self.bounded(n)
    n < LIMIT ? Cart : Cart::MOST
  end
end
--- lib/app.rb
class App
  def run(items)
    raise 'full' if items.size > Shop::LIMIT
  end
end
--- src/Config.php
<?php
namespace Shop;
class Config { const LIMIT = 10; }
interface Sink {}
--- src/App.php
<?php
namespace App;
use Shop\\Config;
use Shop\\Sink as Out;
class App {
    private Out $out;
    public function bounded(int $n): ?Out { return $n < Config::LIMIT ? $this->out : null; }
}
",
        expect![[r#"
            lib/shop.rb:7 Shop.bounded -> lib/shop.rb Shop.Cart 95
            lib/shop.rb:7 Shop.bounded -> lib/shop.rb Shop.Cart.MOST 95
            lib/shop.rb:7 Shop.bounded -> lib/shop.rb Shop.LIMIT 95
            lib/app.rb:3 App.run -> lib/shop.rb Shop 95
            lib/app.rb:3 App.run -> lib/shop.rb Shop.LIMIT 95
            src/App.php:6 App -> src/Config.php Sink 95
            src/App.php:7 App.bounded -> src/Config.php Config 95
            src/App.php:7 App.bounded -> src/Config.php Config.LIMIT 95
            src/App.php:7 App.bounded -> src/Config.php Sink 95
            src/App.php:7 App.bounded reads src/App.php App.out 95
        "#]],
    );
}

#[test]
fn fields_of_values_are_read_and_written() {
    check_references(
        "
--- a.py
class Till:
    def __init__(self, n):
        self.n = n
    def add(self, more):
        self.n += more
        more.n = 1
def show(till: Till):
    return till.n
--- b.ts
interface Options { limit: number; name?: string }
class Shop {
  private count = 0
  constructor(readonly options: Options) {}
  add() { this.count++; return this.options.limit }
  reset(other: Shop, unknown: any) { other.count = unknown.count }
}
--- go.mod
module example.com/c
--- c/c.go
package c

type Till struct{ n int }

func (t *Till) Add(m int) int {
	t.n = m
	return t.n
}
--- Cargo.toml
[package]
name = 'd'
--- src/lib.rs
pub struct Till { n: u32 }
impl Till {
    fn add(&mut self, m: u32) { self.n += m; }
    fn get(&self) -> u32 { self.n }
}
",
        expect![[r#"
            a.py:3 Till.__init__ writes a.py Till.n 95
            a.py:5 Till.add writes a.py Till.n 95
            a.py:7 show -> a.py Till 95
            a.py:8 show reads a.py Till.n 90
            b.ts:4 Shop.constructor -> b.ts Options 95
            b.ts:5 Shop.add reads b.ts Options.limit 90
            b.ts:5 Shop.add reads b.ts Shop.options 95
            b.ts:5 Shop.add writes b.ts Shop.count 95
            b.ts:6 Shop.reset -> b.ts Shop 95
            b.ts:6 Shop.reset writes b.ts Shop.count 90
            c/c.go:5 Till.Add -> c/c.go Till 95
            c/c.go:6 Till.Add writes c/c.go Till.n 90
            c/c.go:7 Till.Add reads c/c.go Till.n 90
            src/lib.rs:3 Till.add writes src/lib.rs Till.n 95
            src/lib.rs:4 Till.get reads src/lib.rs Till.n 95
        "#]],
    );
}
