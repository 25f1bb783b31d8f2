//! Ruby: modules that reopen, mixins, methods called by bare names.

use crate::check;
use expect_test::expect;

#[test]
fn classes_reopen_mixins_lend_methods_and_bare_names_call() {
    check(
        "
--- lib/shop.rb
require 'shop/cart'
require_relative 'shop/money'

module Shop
  def self.open(name)
    Cart.new(name).total
  end
end
--- lib/shop/cart.rb
module Shop
  module Loud
    def shout(text) = puts(text)
  end

  class Base
    def initialize(name)
      @name = name
    end

    def check
      audit
    end
  end

  class Cart < Base
    include Loud
    attr_reader :items, :rounding

    def initialize(name)
      super
      @rounding = Money::Rounding.new
      @items = []
    end

    def total
      sum = compute
      shout sum
      check
      rounding.up(sum)
      @rounding.up(1)
      unknown_thing
    end

    private

    def compute
      items.each { |item| log(item) }
      1
    end
  end
end
--- lib/shop/cart_log.rb
class Shop::Cart
  def log(item)
    total
  end
end
--- lib/shop/money.rb
module Shop
  module Money
    class Rounding
      def up(x) = x
    end
  end
end
--- test/cart_test.rb
class CartTest < Minitest::Test
  def test_total
    cart = Shop::Cart.new('x')
    cart.total
    Shop.open('y')
    helper
  end

  def helper; end
end
",
        expect![[r#"
            lib/shop.rb:6 Cart -> lib/shop/cart.rb Shop.Cart.initialize 95
            lib/shop.rb:6 Cart().total -> lib/shop/cart.rb Shop.Cart.total 95
            lib/shop/cart.rb:3 puts -- external
            lib/shop/cart.rb:12 audit -- unknown
            lib/shop/cart.rb:21 super.initialize -> lib/shop/cart.rb Shop.Base.initialize 95
            lib/shop/cart.rb:22 Money.Rounding -> lib/shop/money.rb Shop.Money.Rounding 95
            lib/shop/cart.rb:27 compute -> lib/shop/cart.rb Shop.Cart.compute 95
            lib/shop/cart.rb:28 shout -> lib/shop/cart.rb Shop.Loud.shout 95
            lib/shop/cart.rb:29 check -> lib/shop/cart.rb Shop.Base.check 95
            lib/shop/cart.rb:30 rounding().up -> lib/shop/money.rb Shop.Money.Rounding.up 85
            lib/shop/cart.rb:31 self.@rounding.up -> lib/shop/money.rb Shop.Money.Rounding.up 85
            lib/shop/cart.rb:32 unknown_thing -- unknown
            lib/shop/cart.rb:35 private -- external
            lib/shop/cart.rb:38 items().each -- external
            lib/shop/cart.rb:38 log -> lib/shop/cart_log.rb Shop.Cart.log 95
            lib/shop/cart_log.rb:3 total -> lib/shop/cart.rb Shop.Cart.total 95
            test/cart_test.rb:3 Shop.Cart -> lib/shop/cart.rb Shop.Cart.initialize 95
            test/cart_test.rb:4 cart.total -> lib/shop/cart.rb Shop.Cart.total 85
            test/cart_test.rb:5 Shop.open -> lib/shop.rb Shop.open 95
            test/cart_test.rb:6 helper -> test/cart_test.rb CartTest.helper 95
            lib/shop/cart.rb Shop.Cart implements lib/shop/cart.rb Shop.Loud
            lib/shop/cart.rb Shop.Cart inherits lib/shop/cart.rb Shop.Base
            lib/shop/cart.rb Shop.Cart.initialize overrides lib/shop/cart.rb Shop.Base.initialize
        "#]],
    );
}

/// A module that more files open than are looked at one by one still holds what they write
/// into it.
#[test]
fn a_module_that_is_opened_in_many_files_holds_the_types_of_all() {
    use std::fmt::Write as _;
    let mut text = String::from(
        "
--- lib/loader.rb
module Shop
  class Loader
    class << self
      def load(path); end
    end
  end
end
--- spec/loader_spec.rb
describe 'loader' do
  let(:config) { Shop::Loader.load('x') }
end
",
    );
    for n in 0..120 {
        let _ = write!(text, "--- lib/part_{n}.rb\nmodule Shop\n  class Part{n}; end\nend\n");
    }
    check(
        &text,
        expect![[r#"
            spec/loader_spec.rb:1 describe -- unknown
            spec/loader_spec.rb:2 let -- unknown
            spec/loader_spec.rb:2 Shop.Loader.load -> lib/loader.rb Shop.Loader.load 95
        "#]],
    );
}
