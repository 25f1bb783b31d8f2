//! Java: packages, overloads, inheritance, generics, lambdas.

use crate::check;
use expect_test::expect;

#[test]
fn a_name_is_looked_for_in_the_class_its_bases_the_package_and_imports() {
    check(
        "
--- src/main/java/shop/Cart.java
package shop;

import shop.money.Price;
import static shop.money.Rounding.round;
import shop.util.*;
import org.slf4j.Logger;
import java.util.List;

public class Cart extends Base {
    private final List<Item> items;
    private Logger log;

    public Cart(List<Item> items) {
        super(1);
        this.items = items;
    }

    int total() {
        int sum = 0;
        for (Item item : items) {
            sum += item.price().cents();
        }
        log.info(\"x\");
        check();
        Texts.join(sum);
        helper.go();
        return round(sum);
    }
}
--- src/main/java/shop/Base.java
package shop;

class Base {
    protected Helper helper = new Helper();
    Base(int x) {}
    void check() { missing(); }
}
--- src/main/java/shop/Helper.java
package shop;

class Helper { void go() {} }
--- src/main/java/shop/Item.java
package shop;

record Item(shop.money.Price price) {
    shop.money.Price price() { return price; }
}
--- src/main/java/shop/money/Price.java
package shop.money;

public class Price { public int cents() { return 1; } }
--- src/main/java/shop/money/Rounding.java
package shop.money;

public class Rounding { public static int round(int x) { return x; } }
--- src/main/java/shop/util/Texts.java
package shop.util;

public class Texts { public static String join(int x) { return String.valueOf(x); } }
",
        expect![[r#"
            src/main/java/shop/Cart.java:14 super -> src/main/java/shop/Base.java Base.Base 95
            src/main/java/shop/Cart.java:21 item.price -> src/main/java/shop/Item.java Item.price 90
            src/main/java/shop/Cart.java:21 item.price().cents -> src/main/java/shop/money/Price.java Price.cents 90
            src/main/java/shop/Cart.java:23 log.info -- external
            src/main/java/shop/Cart.java:24 check -> src/main/java/shop/Base.java Base.check 95
            src/main/java/shop/Cart.java:25 Texts.join -> src/main/java/shop/util/Texts.java Texts.join 95
            src/main/java/shop/Cart.java:26 helper.go -> src/main/java/shop/Helper.java Helper.go 90
            src/main/java/shop/Cart.java:27 round -> src/main/java/shop/money/Rounding.java Rounding.round 95
            src/main/java/shop/Base.java:4 Helper -> src/main/java/shop/Helper.java Helper 95
            src/main/java/shop/Base.java:6 missing -- unknown
            src/main/java/shop/util/Texts.java:3 String.valueOf -- external
            src/main/java/shop/Cart.java Cart inherits src/main/java/shop/Base.java Base
        "#]],
    );
}

#[test]
fn overloads_are_told_apart_by_number_and_type_of_arguments() {
    check(
        "
--- a/A.java
package a;

class Shape {}
class Circle extends Shape {}

class A {
    A() { this(1); }
    A(int x) {}
    void draw() {}
    void draw(Shape s) {}
    void draw(Shape s, int n) {}
    void put(String s) {}
    void put(Circle c) {}
    void same(Object a) {}
    void go(Circle c, String s) {
        draw();
        draw(c);
        draw(c, 1);
        put(c);
        put(\"x\");
        put(1, 2);
        new A();
        new A(3).draw();
    }
}
",
        expect![[r#"
            a/A.java:7 self -> a/A.java A.A 95
            a/A.java:16 draw -> a/A.java A.draw 95
            a/A.java:17 draw -> a/A.java A.draw 95
            a/A.java:18 draw -> a/A.java A.draw 95
            a/A.java:19 put -> a/A.java A.put 85
            a/A.java:20 put -> a/A.java A.put 85
            a/A.java:21 put -- unknown
            a/A.java:22 A -> a/A.java A.A 95
            a/A.java:23 A -> a/A.java A.A 95
            a/A.java:23 A().draw -> a/A.java A.draw 95
            a/A.java Circle inherits a/A.java Shape
        "#]],
    );
}

#[test]
fn types_flow_through_generics_streams_and_lambdas() {
    check(
        "
--- a/A.java
package a;

import java.util.*;

interface Repo<T> { T find(int id); List<T> all(); }
class User { String name() { return \"\"; } Team team() { return null; } }
class Team { void join() {} }
class UserRepo implements Repo<User> {
    public User find(int id) { return null; }
    public List<User> all() { return null; }
}
class Box<T extends User> { T value; void go() { value.name(); } }

class Main {
    Repo<User> repo;
    Map<String, User> byName = new HashMap<>();

    void run(UserRepo own, Object any) {
        repo.find(1).name();
        own.find(1).name();
        repo.all().get(0).team().join();
        for (var user : own.all()) user.name();
        repo.all().stream().filter(u -> u.name() != null).map(u -> u.team()).forEach(t -> t.join());
        byName.values().forEach(u -> u.name());
        for (Map.Entry<String, User> e : byName.entrySet()) e.getValue().name();
        if (any instanceof User u) u.name();
        ((User) any).name();
        Runnable r = new Runnable() { public void run() { helper(); } };
        any.name();
    }
    void helper() {}
}
",
        expect![[r#"
            a/A.java:12 value.name -> a/A.java User.name 90
            a/A.java:16 HashMap -- external
            a/A.java:19 repo.find -> a/A.java Repo.find 90
            a/A.java:19 repo.find().name -> a/A.java User.name 90
            a/A.java:20 own.find -> a/A.java UserRepo.find 90
            a/A.java:20 own.find().name -> a/A.java User.name 90
            a/A.java:21 repo.all -> a/A.java Repo.all 90
            a/A.java:21 repo.all().get -- external
            a/A.java:21 repo.all().get().team -> a/A.java User.team 90
            a/A.java:21 repo.all().get().team().join -> a/A.java Team.join 90
            a/A.java:22 own.all -> a/A.java UserRepo.all 90
            a/A.java:22 user.name -> a/A.java User.name 85
            a/A.java:23 repo.all -> a/A.java Repo.all 90
            a/A.java:23 repo.all().stream -- external
            a/A.java:23 repo.all().stream().filter -- external
            a/A.java:23 u.name -> a/A.java User.name 85
            a/A.java:23 repo.all().stream().filter().map -- external
            a/A.java:23 u.team -> a/A.java User.team 85
            a/A.java:23 ….all().stream().filter().map().forEach -- external
            a/A.java:23 t.join -> a/A.java Team.join 85
            a/A.java:24 byName.values -- external
            a/A.java:24 byName.values().forEach -- external
            a/A.java:24 u.name -> a/A.java User.name 85
            a/A.java:25 byName.entrySet -- external
            a/A.java:25 e.getValue -- external
            a/A.java:25 e.getValue().name -> a/A.java User.name 90
            a/A.java:26 u.name -> a/A.java User.name 90
            a/A.java:27 ….name -> a/A.java User.name 90
            a/A.java:28 Runnable -- external
            a/A.java:28 helper -> a/A.java Main.helper 95
            a/A.java:29 any.name -- external
            a/A.java UserRepo implements a/A.java Repo
            a/A.java UserRepo.find overrides a/A.java Repo.find
            a/A.java UserRepo.all overrides a/A.java Repo.all
        "#]],
    );
}

#[test]
fn a_class_literal_tells_overloads_apart() {
    check(
        r#"
--- Gson.java
import java.lang.reflect.Type;

class A { void a() {} }
class B { void b() {} }
class Gson {
    A fromJson(String json, Class<Use> of) { return null; }
    B fromJson(String json, Type of) { return null; }
}
class Use {
    void use(Gson gson, Type type, String json) {
        gson.fromJson(json, Use.class).a();
        gson.fromJson(json, type).b();
    }
}
"#,
        expect![[r#"
            Gson.java:11 gson.fromJson -> Gson.java Gson.fromJson 85
            Gson.java:11 gson.fromJson().a -> Gson.java A.a 85
            Gson.java:12 gson.fromJson -> Gson.java Gson.fromJson 85
            Gson.java:12 gson.fromJson().b -> Gson.java B.b 85
        "#]],
    );
}

#[test]
fn a_value_of_another_repository_goes_with_the_parameter_that_takes_all() {
    check(
        r#"
--- Gson.java
import java.util.Date;

class A { void a() {} }
class B { void b() {} }
class Element {}
class Gson {
    A toJson(Object value) { return null; }
    B toJson(Element value) { return null; }
}
class Use {
    void use(Gson gson, Date date, Element element) {
        gson.toJson(date).a();
        gson.toJson(new Date(0)).a();
        gson.toJson(element).b();
    }
}
"#,
        expect![[r#"
            Gson.java:12 gson.toJson -> Gson.java Gson.toJson 85
            Gson.java:12 gson.toJson().a -> Gson.java A.a 85
            Gson.java:13 gson.toJson -> Gson.java Gson.toJson 85
            Gson.java:13 Date -- external
            Gson.java:13 gson.toJson().a -> Gson.java A.a 85
            Gson.java:14 gson.toJson -> Gson.java Gson.toJson 85
            Gson.java:14 gson.toJson().b -> Gson.java B.b 85
        "#]],
    );
}

/// A variable may have the name of a method; a class of the repository is an `Object` too,
/// a text is no array.
#[test]
fn names_of_methods_and_the_type_of_all_values() {
    check(
        r#"
--- Use.java
class A { void a() {} }
class B { void b() {} }
class Element {}
class Bag {}
class Json {
    A write(Object value) { return null; }
    B write(Element value) { return null; }
    A call(Object on, String name, Object[] args, Class<?>[] types) { return null; }
    B call(Object on, String name, Object... args) { return null; }
    A number(int value) { return null; }
    B number(boolean value) { return null; }
}
class Use {
    String reader;
    static A reader(String s) { return null; }
    void use(Json json) {
        A reader = reader("x");
        reader.a();
        json.write(new Bag()).a();
        json.write(new Element()).b();
        json.call(json, "n", 1, "x").b();
        json.number(-1).a();
    }
}
"#,
        expect![[r#"
            Use.java:17 reader -> Use.java Use.reader 95
            Use.java:18 reader.a -> Use.java A.a 90
            Use.java:19 json.write -> Use.java Json.write 85
            Use.java:19 Bag -> Use.java Bag 95
            Use.java:19 json.write().a -> Use.java A.a 85
            Use.java:20 json.write -> Use.java Json.write 85
            Use.java:20 Element -> Use.java Element 95
            Use.java:20 json.write().b -> Use.java B.b 85
            Use.java:21 json.call -> Use.java Json.call 85
            Use.java:21 json.call().b -> Use.java B.b 85
            Use.java:22 json.number -> Use.java Json.number 85
            Use.java:22 json.number().a -> Use.java A.a 85
        "#]],
    );
}

#[test]
fn overloads_are_told_apart_by_what_converts_and_what_is_more_specific() {
    check(
        "
--- src/Writer2.java
package w;

import java.io.DataOutput;
import java.math.BigDecimal;
import org.lib.Packet;
import org.lib.Frame;

class OfChar { void is() {} }
class OfInt { void is() {} }
class OfLong { void is() {} }
class OfDouble { void is() {} }
class OfTruth { void is() {} }
class OfBoxedTruth { void is() {} }
class OfNumber { void is() {} }
class OfText { void is() {} }
class OfBytes { void is() {} }
class OfChars { void is() {} }
class OfEvent { void is() {} }
class OfJoin { void is() {} }
class OfFrame { void is() {} }
class OfPacket { void is() {} }

class Event {}
class Join extends Event {}

class Out {
    static final Join INSTANCE = new Join();
    static Join last;

    OfChar value(char c) { return null; }
    OfInt value(int i) { return null; }
    OfLong value(long l) { return null; }
    OfDouble value(double d) { return null; }
    OfTruth value(boolean b) { return null; }
    OfBoxedTruth value(Boolean b) { return null; }
    OfNumber value(Number n) { return null; }
    OfText value(String s) { return null; }
    OfBytes value(byte[] b) { return null; }
    OfChars value(char[] b) { return null; }

    OfEvent send(Event e) { return null; }
    OfJoin send(Join j) { return null; }
    OfFrame send(Frame f) { return null; }
    OfPacket send(Packet p) { return null; }

    OfText fail(String s) { return null; }
    OfEvent fail(Throwable t) { return null; }

    OfText rest(int at, String all) { return null; }
    OfJoin rest(int at, Join... all) { return null; }
}

class Use {
    Join join;

    void run(Out out, short small, Packet packet, Event event, long[] many) {
        out.value('x').is();
        out.value(1).is();
        out.value(1L).is();
        out.value(small).is();
        out.value(1.5f).is();
        out.value(true).is();
        out.value(Boolean.TRUE).is();
        out.value(Long.valueOf(2)).is();
        out.value(Long.MAX_VALUE).is();
        out.value(new BigDecimal(1)).is();
        out.value(\"a\".getBytes()).is();
        out.value(\"a\".toCharArray()).is();
        out.send((Join) event).is();
        out.send(event).is();
        out.send(packet).is();
        out.send(new Frame()).is();
        out.send(join).is();
        out.send(Out.INSTANCE).is();
        out.rest(1, Out.last).is();
        try { run(out, small, packet, event, many); } catch (java.io.IOException e) { out.fail(e).is(); }
        try { run(out, small, packet, event, many); } catch (NumberFormatException e) { out.fail(e).is(); }
    }
}
",
        expect![[r#"
            src/Writer2.java:27 Join -> src/Writer2.java Join 95
            src/Writer2.java:57 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:57 out.value().is -> src/Writer2.java OfChar.is 85
            src/Writer2.java:58 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:58 out.value().is -> src/Writer2.java OfInt.is 85
            src/Writer2.java:59 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:59 out.value().is -> src/Writer2.java OfLong.is 85
            src/Writer2.java:60 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:60 out.value().is -> src/Writer2.java OfInt.is 85
            src/Writer2.java:61 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:61 out.value().is -> src/Writer2.java OfDouble.is 85
            src/Writer2.java:62 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:62 out.value().is -> src/Writer2.java OfTruth.is 85
            src/Writer2.java:63 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:63 out.value().is -> src/Writer2.java OfBoxedTruth.is 85
            src/Writer2.java:64 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:64 Long.valueOf -- external
            src/Writer2.java:64 out.value().is -> src/Writer2.java OfNumber.is 85
            src/Writer2.java:65 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:65 out.value().is -> src/Writer2.java OfLong.is 85
            src/Writer2.java:66 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:66 BigDecimal -- external
            src/Writer2.java:66 out.value().is -> src/Writer2.java OfNumber.is 85
            src/Writer2.java:67 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:67 ….getBytes -- external
            src/Writer2.java:67 out.value().is -> src/Writer2.java OfBytes.is 85
            src/Writer2.java:68 out.value -> src/Writer2.java Out.value 85
            src/Writer2.java:68 ….toCharArray -- external
            src/Writer2.java:68 out.value().is -> src/Writer2.java OfChars.is 85
            src/Writer2.java:69 out.send -> src/Writer2.java Out.send 85
            src/Writer2.java:69 out.send().is -> src/Writer2.java OfJoin.is 85
            src/Writer2.java:70 out.send -> src/Writer2.java Out.send 85
            src/Writer2.java:70 out.send().is -> src/Writer2.java OfEvent.is 85
            src/Writer2.java:71 out.send -> src/Writer2.java Out.send 85
            src/Writer2.java:71 out.send().is -> src/Writer2.java OfPacket.is 85
            src/Writer2.java:72 out.send -> src/Writer2.java Out.send 85
            src/Writer2.java:72 Frame -- external
            src/Writer2.java:72 out.send().is -> src/Writer2.java OfFrame.is 85
            src/Writer2.java:73 out.send -> src/Writer2.java Out.send 85
            src/Writer2.java:73 out.send().is -> src/Writer2.java OfJoin.is 85
            src/Writer2.java:74 out.send -> src/Writer2.java Out.send 85
            src/Writer2.java:74 out.send().is -> src/Writer2.java OfJoin.is 85
            src/Writer2.java:75 out.rest -> src/Writer2.java Out.rest 85
            src/Writer2.java:75 out.rest().is -> src/Writer2.java OfJoin.is 85
            src/Writer2.java:76 run -> src/Writer2.java Use.run 95
            src/Writer2.java:76 out.fail -> src/Writer2.java Out.fail 85
            src/Writer2.java:76 out.fail().is -> src/Writer2.java OfEvent.is 85
            src/Writer2.java:77 run -> src/Writer2.java Use.run 95
            src/Writer2.java:77 out.fail -> src/Writer2.java Out.fail 85
            src/Writer2.java:77 out.fail().is -> src/Writer2.java OfEvent.is 85
            src/Writer2.java Join inherits src/Writer2.java Event
        "#]],
    );
}

#[test]
fn cases_outer_receivers_lambdas_and_static_imports_are_followed() {
    check(
        "
--- src/State.java
package s;

enum State {
    OPEN {
        void read(Reader2 r) { other(r); r.done(); }
        private void other(Reader2 r) {}
    };
    abstract void read(Reader2 r);
}

interface Handler<T> { void handle(T value, Reader2 reader); }

class OfText { void is() {} }

class Reader2 {
    private Reader2 next;
    Reader2 next() { return next; }
    void done() {}
    void follow() { next.done(); next().done(); }
    void each(Handler<State> handler) {}
    void all() { each((state, reader) -> { state.read(reader); reader.done(); }); }
    class Inner { void done() { Reader2.this.done(); } }
    static State join(State s, String t) { return s; }
    static OfText join(String s, String t) { return null; }
}
--- src/Use.java
package s;

import static s.Reader2.join;

class Use { void run() { join(\"a\", \"b\").is(); } }
--- src/More.java
package s;

import static org.junit.Assert.*;
import static s.Reader2.*;

class More { void run(State state) { join(state, \"b\").read(null); join(\"a\", \"b\").is(); } }
",
        expect![[r#"
            src/State.java:5 other -> src/State.java State.OPEN.other 95
            src/State.java:5 r.done -> src/State.java Reader2.done 90
            src/State.java:19 next.done -> src/State.java Reader2.done 90
            src/State.java:19 next -> src/State.java Reader2.next 95
            src/State.java:19 next().done -> src/State.java Reader2.done 90
            src/State.java:21 each -> src/State.java Reader2.each 95
            src/State.java:21 state.read -> src/State.java State.read 85
            src/State.java:21 reader.done -> src/State.java Reader2.done 85
            src/State.java:22 ….done -> src/State.java Reader2.done 90
            src/Use.java:5 join -> src/State.java Reader2.join 85
            src/Use.java:5 join().is -> src/State.java OfText.is 85
            src/More.java:6 join -> src/State.java Reader2.join 85
            src/More.java:6 join().read -> src/State.java State.read 85
            src/More.java:6 join -> src/State.java Reader2.join 85
            src/More.java:6 join().is -> src/State.java OfText.is 85
        "#]],
    );
}
