//! PHP: namespaces, traits, typed properties.

use crate::check;
use expect_test::expect;

#[test]
fn namespaces_traits_and_properties() {
    check(
        "
--- src/Cart.php
<?php
namespace Shop;

use Shop\\Money\\{Price, Rounding as Round};
use function Shop\\Text\\join_all;

class Cart extends Base implements Countable
{
    use Loud;

    private Price $price;

    public function __construct(private Store $store, int $n = 0)
    {
        parent::__construct($n);
        $this->price = new Price(1);
    }

    public function total(?Price $other): int
    {
        $sum = $this->price->cents();
        $other?->cents();
        $this->shout('x');
        $this->store->find(1)->name();
        self::make()->total(null);
        join_all($sum);
        $this->check();
        foreach ($this->missing() as $x) { $x->foo(); }
        return Round::up($sum);
    }

    public static function make(): static { return new static(); }
}
--- src/Base.php
<?php
namespace Shop;

abstract class Base
{
    public function __construct(int $n) {}
    protected function check() { strlen('x'); }
}
trait Loud { public function shout(string $s) {} }
class Store { public function find(int $id): User { return new User(); } }
class User { public function name() {} }
--- src/Money.php
<?php
namespace Shop\\Money;

class Price { public function cents(): int { return 1; } }
class Rounding { public static function up(int $x): int { return $x; } }
--- src/text.php
<?php
namespace Shop\\Text;

function join_all($x) {}
",
        expect![[r#"
            src/Cart.php:15 super.__construct -> src/Base.php Base.__construct 95
            src/Cart.php:16 Price -> src/Money.php Price 95
            src/Cart.php:21 self.price.cents -> src/Money.php Price.cents 90
            src/Cart.php:22 $other.cents -> src/Money.php Price.cents 90
            src/Cart.php:23 self.shout -> src/Base.php Loud.shout 95
            src/Cart.php:24 self.store.find -> src/Base.php Store.find 90
            src/Cart.php:24 self.store.find().name -> src/Base.php User.name 90
            src/Cart.php:25 self.make -> src/Cart.php Cart.make 95
            src/Cart.php:25 self.make().total -> src/Cart.php Cart.total 90
            src/Cart.php:26 join_all -> src/text.php join_all 95
            src/Cart.php:27 self.check -> src/Base.php Base.check 95
            src/Cart.php:28 self.missing -- unknown
            src/Cart.php:28 $x.foo -- unknown
            src/Cart.php:29 Round.up -> src/Money.php Rounding.up 95
            src/Base.php:7 strlen -- unknown
            src/Base.php:10 User -> src/Base.php User 95
            src/Cart.php Cart implements src/Base.php Loud
            src/Cart.php Cart inherits src/Base.php Base
            src/Cart.php Cart.__construct overrides src/Base.php Base.__construct
        "#]],
    );
}
