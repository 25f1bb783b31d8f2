//! Kotlin: packages, extensions, companions, smart casts.

use crate::{check, check_outline, check_references};
use expect_test::expect;

#[test]
fn packages_imports_and_aliases() {
    check(
        "
--- src/shop/Cart.kt
package shop

import shop.money.Price as Amount
import shop.money.*
import kotlin.math.max

class Cart(private val store: Store) {
    fun total(first: Amount): Int {
        first.round()
        twice(1)
        max(1, 2)
        store.open()
        return helper()
    }
    private fun helper() = 1
}

class Store {
    fun open() {}
}
--- src/shop/money/Price.kt
package shop.money

class Price {
    fun round(): Price = this
}

fun twice(n: Int) = n * 2
--- src/app/Main.kt
package app

import shop.Cart
import shop.Store

fun main() {
    val cart = Cart(Store())
    cart.total(shop.money.Price())
    unknown.total()
}

fun takes(main: () -> Unit) {
    main()
}
",
        expect![[r#"
            src/shop/Cart.kt:9 first.round -> src/shop/money/Price.kt Price.round 90
            src/shop/Cart.kt:10 twice -> src/shop/money/Price.kt twice 95
            src/shop/Cart.kt:11 max -- unknown
            src/shop/Cart.kt:12 store.open -> src/shop/Cart.kt Store.open 90
            src/shop/Cart.kt:13 helper -> src/shop/Cart.kt Cart.helper 95
            src/app/Main.kt:7 Cart -> src/shop/Cart.kt Cart 95
            src/app/Main.kt:7 Store -> src/shop/Cart.kt Store 95
            src/app/Main.kt:8 cart.total -> src/shop/Cart.kt Cart.total 85
            src/app/Main.kt:8 shop.money.Price -> src/shop/money/Price.kt Price 95
            src/app/Main.kt:9 unknown.total -- unknown
            src/app/Main.kt:13 main -- value
        "#]],
    );
}

#[test]
fn extensions_companions_objects_and_lambdas() {
    check(
        "
--- a.kt
package a

open class Base { open fun run() {} }
interface Loud { fun shout() }

class Engine(val size: Int) : Base(), Loud {
    constructor(a: Int, b: Int) : this(a)
    override fun run() { super.run(); shout() }
    override fun shout() {}
    companion object {
        fun make(): Engine = Engine(1)
    }
}

object Garage {
    val engines = mutableListOf<Engine>()
    val spare by lazy { Engine.make() }
    fun all() {
        engines.forEach { it.run() }
        engines.map { e -> e.stop() }
        spare.run()
        Engine(1, 2).run()
    }
}

fun Engine.stop() { shout() }
val Engine.power: Int get() = twice(size)
fun twice(n: Int) = 2 * n

enum class Gear { Low, High { override fun shift() {} }; open fun shift() {} }

fun use(x: Any, gear: Gear?) {
    if (x is Engine) x.run()
    when (x) {
        is Engine -> x.stop()
        is Base -> x.run()
        else -> x.run()
    }
    gear?.shift()
    Gear.Low.shift()
    Garage.all()
    val other = x as Engine
    other.run()
    val run = object : Loud { override fun shout() { twice(1) } }
    run.shout()
    for ((n, twice) in mapOf(1 to 2)) twice(n)
}
",
        expect![[r#"
            a.kt:7 self -> a.kt Engine 95
            a.kt:8 super.run -> a.kt Base.run 95
            a.kt:8 shout -> a.kt Engine.shout 95
            a.kt:11 Engine -> a.kt Engine 95
            a.kt:16 mutableListOf -- external
            a.kt:17 lazy -- external
            a.kt:17 Engine.make -> a.kt Engine.Companion.make 95
            a.kt:19 engines.forEach -- external
            a.kt:19 it.run -> a.kt Engine.run 85
            a.kt:20 engines.map -- external
            a.kt:20 e.stop -> a.kt Engine.stop 85
            a.kt:21 spare.run -- unknown
            a.kt:22 Engine -> a.kt Engine.constructor 95
            a.kt:22 Engine().run -> a.kt Engine.run 95
            a.kt:26 shout -> a.kt Engine.shout 95
            a.kt:27 twice -> a.kt twice 95
            a.kt:33 x.run -> a.kt Engine.run 90
            a.kt:35 x.stop -> a.kt Engine.stop 90
            a.kt:36 x.run -> a.kt Base.run 90
            a.kt:37 x.run -- external
            a.kt:39 gear.shift -> a.kt Gear.shift 90
            a.kt:40 Gear.Low.shift -> a.kt Gear.shift 95
            a.kt:41 Garage.all -> a.kt Garage.all 95
            a.kt:44 twice -> a.kt twice 95
            a.kt:45 run.shout -> a.kt use.shout 85
            a.kt:46 mapOf -- external
            a.kt:46 ….to -- external
            a.kt:46 twice -- value
            a.kt Engine implements a.kt Loud
            a.kt use implements a.kt Loud
            a.kt Engine inherits a.kt Base
            a.kt Engine.run overrides a.kt Base.run
            a.kt Engine.shout overrides a.kt Loud.shout
            a.kt use.shout overrides a.kt Loud.shout
        "#]],
    );
}

#[test]
fn definitions_are_told_with_their_kinds() {
    check_outline(
        "
--- a.kt
package a

/** What is sold. */
data class Item(val name: String, count: Int)
sealed interface Event {
    data object Done : Event
}
typealias Items = List<Item>
const val LIMIT = 3
var state = 0
private fun hidden() {}
fun interface Sink {
    fun put(item: Item)
}
",
        expect![[r#"
            a.kt:4 class Item
            a.kt:4 field Item.name
            a.kt:4 field Item.count
            a.kt:5 interface Event
            a.kt:6 class Event.Done
            a.kt:8 type Items
            a.kt:9 const LIMIT
            a.kt:10 var state
            a.kt:11 function hidden
            a.kt:12 interface Sink
            a.kt:13 method Sink.put
            a.kt Event.Done implements a.kt Event
        "#]],
    );
}

#[test]
fn types_constants_and_functions_are_named() {
    check_references(
        "
--- a.kt
package a

const val LIMIT = 3
class Item
enum class Color { Red }
fun handler(item: Item) {}
class Shop(val color: Color) {
    fun full(items: List<Item>) = items.size > LIMIT
    fun all(items: List<Item>) { items.forEach(::handler) }
    fun shadowed(LIMIT: Int) = LIMIT
    fun check(x: Any) = x is Item && color == Color.Red
}
",
        expect![[r#"
            a.kt:6 handler -> a.kt Item 95
            a.kt:7 Shop -> a.kt Color 95
            a.kt:8 Shop.full -> a.kt Item 95
            a.kt:8 Shop.full -> a.kt LIMIT 95
            a.kt:9 Shop.all -> a.kt Item 95
            a.kt:9 Shop.all -> a.kt handler 95
            a.kt:11 Shop.check -> a.kt Color 95
            a.kt:11 Shop.check -> a.kt Color.Red 95
            a.kt:11 Shop.check -> a.kt Item 95
            a.kt:11 Shop.check reads a.kt Shop.color 95
        "#]],
    );
}

#[test]
fn operators_call_the_functions_they_are_written_for() {
    check(
        "
--- a.kt
package a

class Row { fun cells(): Int = 1 }
class Grid {
    operator fun get(index: Int): Row = Row()
    operator fun get(x: Int, y: Int): Int = x
    operator fun set(index: Int, row: Row) {}
}
class Check { operator fun invoke(n: Int): Row = Row() }
operator fun Row.get(name: String): Row = this

class Shop(val grid: Grid, val check: Check) {
    fun run(rows: List<Row>, act: (Int) -> Row) {
        grid[1].cells()
        grid[1, 2]
        grid[3] = grid[4]
        grid[5] += Row()
        check(1).cells()
        Row()[\"a\"].cells()
        rows[0].cells()
        act(1)
        unknown[1]
    }
}
",
        expect![[r#"
            a.kt:5 Row -> a.kt Row 95
            a.kt:9 Row -> a.kt Row 95
            a.kt:14 get -> a.kt Grid.get 90
            a.kt:14 grid[].cells -> a.kt Row.cells 90
            a.kt:15 get -> a.kt Grid.get 90
            a.kt:16 set -> a.kt Grid.set 90
            a.kt:16 get -> a.kt Grid.get 90
            a.kt:17 get -> a.kt Grid.get 90
            a.kt:17 get -> a.kt Grid.set 90
            a.kt:17 Row -> a.kt Row 95
            a.kt:18 check -> a.kt Check.invoke 90
            a.kt:18 check().cells -> a.kt Row.cells 90
            a.kt:19 Row -> a.kt Row 95
            a.kt:19 get -> a.kt Row.get 95
            a.kt:19 Row()[].cells -> a.kt Row.cells 90
            a.kt:20 rows[].cells -> a.kt Row.cells 90
            a.kt:21 act -- value
        "#]],
    );
}
