//! C and C++: headers and sources, namespaces, classes written in two places,
//! templates, static functions.

use crate::check;
use expect_test::expect;

#[test]
fn a_class_is_declared_in_a_header_and_written_in_a_source() {
    check(
        "
--- include/shop/cart.h
#pragma once
#include <vector>
#include <memory>
namespace shop {
class Item {
 public:
  int price() const;
};
class Base {
 public:
  virtual void check() = 0;
  void log(const char* text);
};
class Cart : public Base {
 public:
  explicit Cart(int n);
  int total();
  int total(int tax);
  void check() override;
 private:
  int sum() const { return 0; }
  std::vector<Item> items_;
  std::unique_ptr<Item> best_;
};
int round(int x);
}
--- src/cart.cc
#include \"shop/cart.h\"
namespace shop {
Cart::Cart(int n) { sum(); }
int Cart::total() {
  int all = 0;
  for (const auto& item : items_) all += item.price();
  all += best_->price();
  log(\"x\");
  check();
  Cart other(3);
  auto made = std::make_unique<Cart>(1);
  made->total(2);
  return round(total(1)) + ::shop::round(2);
}
int Cart::total(int tax) { return sum() + tax; }
void Cart::check() { missing(); }
int Item::price() const { return 1; }
void Base::log(const char* text) { printf(text); }
int round(int x) { return x; }
}
--- src/main.cc
#include \"shop/cart.h\"
using namespace shop;
int main() {
  Cart* cart = new Cart(1);
  cart->total();
  static_cast<Base*>(cart)->check();
  round(3);
  return 0;
}
",
        expect![[r#"
            src/cart.cc:3 sum -> include/shop/cart.h shop.Cart.sum 95
            src/cart.cc:6 item.price -> src/cart.cc shop.Item.price 85
            src/cart.cc:7 best_.price -> src/cart.cc shop.Item.price 90
            src/cart.cc:8 log -> src/cart.cc shop.Base.log 95
            src/cart.cc:9 check -> src/cart.cc shop.Cart.check 95
            src/cart.cc:10 Cart -> src/cart.cc shop.Cart.Cart 95
            src/cart.cc:11 std.make_unique -- external
            src/cart.cc:12 made.total -> src/cart.cc shop.Cart.total 85
            src/cart.cc:13 round -> src/cart.cc shop.round 95
            src/cart.cc:13 total -> src/cart.cc shop.Cart.total 95
            src/cart.cc:13 shop.round -> src/cart.cc shop.round 95
            src/cart.cc:15 sum -> include/shop/cart.h shop.Cart.sum 95
            src/cart.cc:16 missing -- unknown
            src/cart.cc:18 printf -- unknown
            src/main.cc:4 Cart -> src/cart.cc shop.Cart.Cart 95
            src/main.cc:5 cart.total -> src/cart.cc shop.Cart.total 90
            src/main.cc:6 ….check -> include/shop/cart.h shop.Base.check 90
            src/main.cc:7 round -> src/cart.cc shop.round 95
            include/shop/cart.h shop.Cart inherits include/shop/cart.h shop.Base
            include/shop/cart.h shop.Cart.check overrides include/shop/cart.h shop.Base.check
        "#]],
    );
}

#[test]
fn c_functions_are_found_across_files_unless_they_are_static() {
    check(
        "
--- list.h
typedef struct list { struct node *head; void (*free)(void *p); } list;
list *list_new(void);
void list_add(list *l, int value);
static inline int list_empty(list *l) { return l->head == 0; }
#define LIST_EACH(l) for (;;)
--- list.c
#include \"list.h\"
static void grow(list *l) {}
list *list_new(void) { return alloc(sizeof(list)); }
void list_add(list *l, int value) { grow(l); l->free(l); }
--- other.c
static void grow(int x) {}
static void helper(void) { grow(1); }
--- main.c
#include \"list.h\"
int main(void) {
  list *l = list_new();
  list_add(l, 1);
  if (list_empty(l)) grow(l);
  LIST_EACH(l) helper();
  return 0;
}
",
        expect![[r#"
            list.c:3 alloc -- unknown
            list.c:4 grow -> list.c grow 95
            list.c:4 l.free -- value
            other.c:2 grow -> other.c grow 95
            main.c:3 list_new -> list.c list_new 95
            main.c:4 list_add -> list.c list_add 95
            main.c:5 list_empty -> list.h list_empty 95
            main.c:5 grow -- unknown
        "#]],
    );
}

#[test]
fn a_macro_before_the_name_of_a_class_is_not_its_name() {
    check(
        r#"
--- db.h
#pragma once
#define API_EXPORT
class API_EXPORT Db {
 public:
  virtual void Get(int key) = 0;
  void Put() { Get(1); }
};
--- main.cc
#include "db.h"
void use(Db* db) {
  db->Get(2);
  db->Put();
}
"#,
        expect![[r#"
            db.h:6 Get -> db.h Db.Get 95
            main.cc:3 db.Get -> db.h Db.Get 90
            main.cc:4 db.Put -> db.h Db.Put 90
        "#]],
    );
}
