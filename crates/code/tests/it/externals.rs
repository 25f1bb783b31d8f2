//! What leads out of the repository: to which package, to which symbol.

use crate::{files, linked};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let files = files(text);
    let (facts, linked) = linked(&files);
    let mut lines = String::new();
    for edge in &linked.external {
        let file = edge.source.file as usize;
        let source = facts[file].symbol_path(edge.source.def);
        let kind = format!("{:?}", edge.kind).to_lowercase();
        let target = &edge.target;
        let (language, package, symbol) = (&target.language, &target.package, &target.symbol);
        let place = format!("{}:{}", files[file].0, edge.line);
        lines.push_str(&format!("{place} {source} {kind} {language} {package} {symbol}\n"));
    }
    for one in &linked.importable {
        let path = &files[one.file as usize].0;
        let whole = if one.path.is_folder { " (folder)" } else { "" };
        lines.push_str(&format!("{path} is {}{whole}\n", one.path.path));
    }
    expected.assert_eq(&lines);
}

#[test]
fn go() {
    check(
        r#"
--- go.mod
module example.com/shop
--- cart/cart.go
package cart

import (
	"fmt"
	"example.com/shop/price"
	money "github.com/acme/money/v2"
)

type Cart struct{ bank money.Bank }

func (c *Cart) Sum() {
	fmt.Println(money.Round(price.Total()))
	c.bank.Pay()
	money := other()
	money.Round()
}
--- price/price.go
package price

func Total() int { return 1 }
--- cmd/main.go
package main
"#,
        expect![[r#"
            cart/cart.go:12 Cart.Sum calls go github.com/acme/money/v2 Round
            cart/cart.go:6  imports go github.com/acme/money/v2 
            cart/cart.go is example.com/shop/cart (folder)
            price/price.go is example.com/shop/price (folder)
        "#]],
    );
}

#[test]
fn python() {
    check(
        r#"
--- src/shop/__init__.py
--- src/shop/cart.py
import os
import requests
import requests.adapters
from flask import Flask as App, request
from . import missing
from shop.compat import json_module

try:
    import fast as impl
except ImportError:
    import slow as impl


class Cart(App):
    def pay(self, requests_like):
        os.getcwd()
        requests.get("x").json()
        requests.adapters.HTTPAdapter()
        requests_like.get("x")
        App("x").run()
        impl.go()
        json_module.dumps()
--- src/shop/compat.py
import simplejson as json_module
--- tests/test_cart.py
from shop.cart import Cart
"#,
        expect![[r#"
            src/shop/cart.py:20 Cart.pay calls python flask Flask
            src/shop/cart.py:18 Cart.pay calls python requests adapters.HTTPAdapter
            src/shop/cart.py:17 Cart.pay calls python requests get
            src/shop/cart.py:9  imports python fast 
            src/shop/cart.py:4  imports python flask Flask
            src/shop/cart.py:4  imports python flask request
            src/shop/cart.py:2  imports python requests 
            src/shop/cart.py:3  imports python requests 
            src/shop/cart.py:3  imports python requests.adapters 
            src/shop/cart.py:11  imports python slow 
            src/shop/cart.py:14 Cart inherits python flask Flask
            src/shop/compat.py:1  imports python simplejson 
            src/shop/__init__.py is shop
            src/shop/cart.py is shop.cart
            src/shop/compat.py is shop.compat
        "#]],
    );
}

#[test]
fn typescript() {
    check(
        r#"
--- package.json
{"name": "@acme/shop", "main": "dist/index.js", "exports": {".": "./dist/index.js", "./money": "./dist/money.js"}}
--- src/index.ts
import fs from "fs";
import { readFile } from "node:fs/promises";
import express, { Router } from "express";
import * as money from "@acme/money";
import { helper } from "./helper";
import type { Shape } from "shapes";

export class Shop extends Router {
  start(router: { get(): void }) {
    const app = express();
    app.get();
    money.round(fs.stat());
    new Router();
    router.get();
    helper();
  }
}
--- src/money.ts
export const x = 1;
"#,
        expect![[r#"
            src/index.ts:12 Shop.start calls typescript @acme/money round
            src/index.ts:13 Shop.start calls typescript express Router
            src/index.ts:10 Shop.start calls typescript express default
            src/index.ts:4  imports typescript @acme/money 
            src/index.ts:3  imports typescript express Router
            src/index.ts:3  imports typescript express default
            src/index.ts:6  imports typescript shapes Shape
            src/index.ts:8 Shop inherits typescript express Router
            src/index.ts is @acme/shop
            src/money.ts is @acme/shop/money
        "#]],
    );
}

#[test]
fn rust() {
    check(
        r#"
--- Cargo.toml
[package]
name = "my-shop"
[dependencies]
serde_json = "1"
cash = { package = "acme-money", version = "1" }
--- src/lib.rs
mod cart;
pub mod price;
use serde_json::Value;
use cash::{round, Bank};

pub fn sum() {
    round(1);
    Bank::open();
    serde_json::from_str("1");
    std::mem::drop(1);
    unknown::call();
    let round = |x| x;
    round(2);
}
--- src/cart.rs
use crate::price::total;
pub struct Cart;
impl cash::Account for Cart {}
--- src/price/mod.rs
pub fn total() {}
"#,
        expect![[r#"
            src/lib.rs:8 sum calls rust acme_money Bank.open
            src/lib.rs:7 sum calls rust acme_money round
            src/lib.rs:9 sum calls rust serde_json from_str
            src/lib.rs:4  imports rust acme_money Bank
            src/lib.rs:4  imports rust acme_money round
            src/lib.rs:3  imports rust serde_json Value
            src/cart.rs is my_shop::cart
            src/lib.rs is my_shop
            src/price/mod.rs is my_shop::price
        "#]],
    );
}
