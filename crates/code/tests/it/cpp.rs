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
            src/cart.cc shop.Cart.total implements include/shop/cart.h shop.Cart.total
            src/cart.cc shop.Cart.total implements include/shop/cart.h shop.Cart.total
            src/cart.cc shop.Cart.check implements include/shop/cart.h shop.Cart.check
            src/cart.cc shop.Item.price implements include/shop/cart.h shop.Item.price
            src/cart.cc shop.Base.log implements include/shop/cart.h shop.Base.log
            src/cart.cc shop.round implements include/shop/cart.h shop.round
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

/// A grammar takes the directives for the end of the class, and all after it for its members.
#[test]
fn conditions_among_initialisers_do_not_swallow_the_rest_of_a_file() {
    check(
        r#"
--- limit.cc
class Limiter {
 public:
  Limiter(int n)
      :
#if !defined(NDEBUG)
        most_(n),
#endif
        left_(n) {
  }
  int Acquire() { return left_; }
 private:
#if !defined(NDEBUG)
  int most_;
#endif
  int left_;
};
class Env {
 public:
  static Env* Default();
};
Env* Env::Default() {
  Limiter limit(3);
  limit.Acquire();
  return nullptr;
}
void use() { Env::Default(); }
"#,
        expect![[r#"
            limit.cc:22 Limiter -> limit.cc Limiter.Limiter 95
            limit.cc:23 limit.Acquire -> limit.cc Limiter.Acquire 90
            limit.cc:26 Env.Default -> limit.cc Env.Default 95
            limit.cc Env.Default implements limit.cc Env.Default
        "#]],
    );
}

/// Of a function that has a source for each system, a build takes one: a call may mean
/// each of them. Functions of unrelated programs that share a name are no such thing.
#[test]
fn a_function_written_once_for_each_system_is_called_as_each_of_them() {
    check(
        "
--- include/loop.h
int loop_run(int mode);
int loop_stop(void);
int usage(int code);
--- src/unix/core.c
#include \"loop.h\"
#include \"internal.h\"
static int poll_all(void) { return cpu_count(); }
int loop_run(int mode) { return poll_all(); }
int loop_stop(void) { return loop_run(0); }
--- src/unix/internal.h
int cpu_count(void);
--- src/unix/linux.c
#include \"internal.h\"
int cpu_count(void) { return 1; }
--- src/unix/darwin.c
#include \"internal.h\"
int cpu_count(void) { return 2; }
--- src/win/core.c
#include \"loop.h\"
static int poll_all(void) { return 2; }
int loop_run(int mode) { return poll_all(); }
--- src/common.c
#include \"loop.h\"
int both(void) { return loop_run(1) + loop_stop(); }
int (*chosen)(int) = loop_run;
--- src/events.c
#if defined(EPOLL)
#include \"events_epoll.c\"
#else
#include \"events_select.c\"
#endif
int wait(void) { return api_wait() + epoll_only(); }
--- src/events_epoll.c
static int api_wait(void) { return 1; }
static int epoll_only(void) { return 1; }
--- src/events_select.c
static int api_wait(void) { return 2; }
--- src/other.c
int elsewhere(void) { return api_wait(); }
--- src/mem.h
int read_word(void);
static inline int read_word(void) { return 1; }
--- src/legacy/v1.c
#include \"mem.h\"
int read_word(void) { return 2; }
--- src/user/user.c
#include \"mem.h\"
int user(void) { return read_word(); }
--- tools/a/main.c
int usage(int code) { return code; }
--- tools/b/main.c
int usage(int code) { return code; }
--- tools/c.c
int other(void) { return usage(1); }
",
        expect![[r#"
            src/unix/core.c:3 cpu_count -> src/unix/darwin.c cpu_count 60
            src/unix/core.c:3 cpu_count -> src/unix/linux.c cpu_count 60
            src/unix/core.c:4 poll_all -> src/unix/core.c poll_all 95
            src/unix/core.c:5 loop_run -> src/unix/core.c loop_run 95
            src/win/core.c:3 poll_all -> src/win/core.c poll_all 95
            src/common.c:2 loop_run -> src/unix/core.c loop_run 60
            src/common.c:2 loop_run -> src/win/core.c loop_run 60
            src/common.c:2 loop_stop -> src/unix/core.c loop_stop 95
            src/events.c:6 api_wait -> src/events_epoll.c api_wait 60
            src/events.c:6 api_wait -> src/events_select.c api_wait 60
            src/events.c:6 epoll_only -> src/events_epoll.c epoll_only 95
            src/other.c:1 api_wait -- unknown
            src/user/user.c:2 read_word -> src/mem.h read_word 85
            tools/c.c:1 usage -- unknown
            src/legacy/v1.c read_word implements src/mem.h read_word
            src/unix/core.c loop_run implements include/loop.h loop_run
            src/unix/core.c loop_stop implements include/loop.h loop_stop
            src/unix/darwin.c cpu_count implements src/unix/internal.h cpu_count
            src/unix/linux.c cpu_count implements src/unix/internal.h cpu_count
            src/win/core.c loop_run implements include/loop.h loop_run
        "#]],
    );
}

/// The preprocessor knows no namespaces; what a test of a fixture calls is the fixture's;
/// macros at the end of a member's declaration hide neither it nor its type.
#[test]
fn macros_stand_outside_of_namespaces_and_tests_in_their_fixtures() {
    check(
        "
--- util/testutil.h
namespace shop {
namespace test {
#define ASSERT_OK(x) ASSERT_TRUE((x).ok())
inline int seed() { return 1; }
}
}
--- shop/db.h
namespace shop {
class LOCKABLE Mutex {
 public:
  void lock() EXCLUSIVE_LOCK_FUNCTION() { take(); }
  void take();
};
// What is kept (and locked).
class Db {
 public:
  int put(int key) REQUIRES(mutex_);
  static Mutex* MAKE(int n);
  Mutex mutex_;
  Mutex* const other_ GUARDED_BY(mutex_);
  void stop() const NO_CHECKS { other_->lock(); mutex_.lock(); MAKE(1); }
};
}
--- shop/db_test.cc
#include \"shop/db.h\"
#include \"util/testutil.h\"
namespace shop {
class DbTest : public testing::Test {
 public:
  int put(int key) { return db_->put(key); }
  int reopen() { return 1; }
  Db* db_;
};
TEST_F(DbTest, Empty) {
  ASSERT_OK(put(1));
  db_->stop();
  other::reopen();
}
TEST_F(DbTest, reopen) { reopen(); }
FIXTURE_TEST_CASE(keeps, DbTest) { put(2); }
TEST(Db, Plain) { put(3); test::seed(); }
}
",
        expect![[r#"
            shop/db.h:4 take -> shop/db.h shop.Mutex.take 95
            shop/db.h:14 other_.lock -> shop/db.h shop.Mutex.lock 90
            shop/db.h:14 mutex_.lock -> shop/db.h shop.Mutex.lock 90
            shop/db.h:14 MAKE -> shop/db.h shop.Db.MAKE 95
            shop/db_test.cc:6 db_.put -> shop/db.h shop.Db.put 90
            shop/db_test.cc:11 ASSERT_OK -> util/testutil.h ASSERT_OK 95
            shop/db_test.cc:11 put -> shop/db_test.cc shop.DbTest.put 95
            shop/db_test.cc:12 db_.stop -> shop/db.h shop.Db.stop 90
            shop/db_test.cc:13 other.reopen -- unknown
            shop/db_test.cc:15 reopen -> shop/db_test.cc shop.DbTest.reopen 95
            shop/db_test.cc:16 put -> shop/db_test.cc shop.DbTest.put 95
            shop/db_test.cc:17 put -- unknown
            shop/db_test.cc:17 test.seed -> util/testutil.h shop.test.seed 95
        "#]],
    );
}

/// Of the macros of one name those count that a file includes, and of these rather one
/// that no condition holds back. A source keeps its own for itself, but for the parts
/// that it includes. `assert` comes from its header first.
#[test]
fn the_macro_that_a_file_includes_is_meant() {
    check(
        "
--- lib/error.h
#ifndef ERROR_H
#define ERROR_H
#define ERROR(name) ((int)-E_##name)
#endif
--- lib/threads.h
#ifndef THREADS_H
#define THREADS_H
#if defined(_WIN32)
#define ERROR(name) other(name)
#endif
#endif
--- lib/debug.h
#ifndef DEBUG_H
#define DEBUG_H
#ifndef assert
#define assert(x) ((void)0)
#endif
#endif
--- lib/old.c
#define ERROR(name) 0
#define OP(name) op_##name
#define assert(x) ((void)0)
void *malloc(int n);
#include \"ops.h\"
int old(void) { return ERROR(a); }
--- lib/ops.h
static int ops[] = { OP(add) };
--- lib/new.c
#include \"error.h\"
#include \"threads.h\"
#include \"debug.h\"
int fresh(void) { assert(1); return ERROR(a); }
--- prog/main.c
#include <assert.h>
#include \"../lib/debug.h\"
int main(void) { assert(1); malloc(2); return 0; }
",
        expect![[r#"
            lib/old.c:6 ERROR -> lib/old.c ERROR 95
            lib/ops.h:1 OP -> lib/old.c OP 95
            lib/new.c:4 assert -> lib/debug.h assert 95
            lib/new.c:4 ERROR -> lib/error.h ERROR 95
            prog/main.c:3 assert -- unknown
            prog/main.c:3 malloc -- unknown
        "#]],
    );
}

#[test]
fn attributes_after_the_macro_of_a_class_do_not_swallow_the_rest_of_a_header() {
    check(
        r#"
--- gtest.h
namespace testing {
class GTEST_API_ [[nodiscard]] Failure
    : public std::runtime_error {
 public:
  explicit Failure(int part);
};
class [[nodiscard]] Listener {
 public:
  virtual void OnStart(int n) = 0;
};
class GTEST_API_ [[nodiscard]] UnitTest {
 public:
  static UnitTest* GetInstance();
  int Run();
};
}
inline int RUN_ALL() { return ::testing::UnitTest::GetInstance()->Run(); }
--- gtest.cc
#include "gtest.h"
namespace testing {
class Printer : public Listener {
 public:
  void OnStart(int n) override;
};
UnitTest* UnitTest::GetInstance() { static UnitTest it; return &it; }
int UnitTest::Run() { return 0; }
}
"#,
        expect![[r#"
            gtest.h:17 testing.UnitTest.GetInstance -> gtest.cc testing.UnitTest.GetInstance 95
            gtest.h:17 testing.UnitTest.GetInstance().Run -> gtest.cc testing.UnitTest.Run 90
            gtest.cc testing.UnitTest.GetInstance implements gtest.h testing.UnitTest.GetInstance
            gtest.cc testing.UnitTest.Run implements gtest.h testing.UnitTest.Run
            gtest.cc testing.Printer inherits gtest.h testing.Listener
            gtest.cc testing.Printer.OnStart overrides gtest.h testing.Listener.OnStart
        "#]],
    );
}
