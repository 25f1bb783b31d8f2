//! C#: namespaces, partial classes, properties, extension methods, async.

use crate::check;
use expect_test::expect;

#[test]
fn namespaces_span_files_and_are_opened_by_using() {
    check(
        "
--- Shop/Cart.cs
using System;
using System.Collections.Generic;
using Shop.Money;
using Round = Shop.Money.Rounding;

namespace Shop
{
    public partial class Cart : Base
    {
        private readonly List<Item> items = new List<Item>();
        public Cart(int x) : base(x) { }

        public int Total()
        {
            int sum = 0;
            foreach (var item in items) sum += item.Price.Cents();
            Console.WriteLine(sum);
            Check();
            Extra();
            Shop.Text.Joiner.Join(sum);
            Other?.Go();
            return Round.Up(sum);
        }
    }
}
--- Shop/Cart.More.cs
namespace Shop;

public partial class Cart
{
    private Helper Other { get; set; }
    void Extra() { Total(); }
}

class Helper { public void Go() { } }
--- Shop/Base.cs
namespace Shop { public class Base { public Base(int x) { } protected void Check() { Missing(); } } }
--- Shop/Item.cs
using Shop.Money;
namespace Shop { public record Item(Price Price); }
--- Shop/Money/Price.cs
namespace Shop.Money
{
    public class Price { public int Cents() => 1; }
    public static class Rounding { public static int Up(int x) => x; }
}
--- Shop/Text/Joiner.cs
namespace Shop.Text { public static class Joiner { public static string Join(int x) => x.ToString(); } }
",
        expect![[r#"
            Shop/Cart.cs:10 List -- external
            Shop/Cart.cs:11 super -> Shop/Base.cs Base.Base 95
            Shop/Cart.cs:16 item.Price.Cents -> Shop/Money/Price.cs Price.Cents 85
            Shop/Cart.cs:17 Console.WriteLine -- external
            Shop/Cart.cs:18 Check -> Shop/Base.cs Base.Check 95
            Shop/Cart.cs:19 Extra -> Shop/Cart.More.cs Cart.Extra 95
            Shop/Cart.cs:20 Shop.Text.Joiner.Join -> Shop/Text/Joiner.cs Joiner.Join 95
            Shop/Cart.cs:21 Other.Go -> Shop/Cart.More.cs Helper.Go 90
            Shop/Cart.cs:22 Round.Up -> Shop/Money/Price.cs Rounding.Up 95
            Shop/Cart.More.cs:6 Total -> Shop/Cart.cs Cart.Total 95
            Shop/Base.cs:1 Missing -- unknown
            Shop/Text/Joiner.cs:1 x.ToString -- external
            Shop/Cart.cs Cart inherits Shop/Base.cs Base
        "#]],
    );
}

#[test]
fn extensions_async_and_linq_carry_types() {
    check(
        "
--- A.cs
using System.Linq;
using System.Threading.Tasks;
using System.Collections.Generic;

namespace A;

public class User { public string Name() => \"\"; public Team Team { get; } }
public class Team { public void Join() { } public void Join(int n) { } }
public interface IRepo { Task<User> Find(int id); List<User> All(); }
public static class Extensions { public static void Greet(this User user, string how) { user.Name(); } }

public class Service
{
    private readonly IRepo repo;
    private readonly Dictionary<string, User> byName = new();

    public async Task Run(object any)
    {
        var user = await repo.Find(1);
        user.Name();
        user.Greet(\"x\");
        Extensions.Greet(user, \"y\");
        user.Team.Join();
        user.Team.Join(1);
        user.Team.Join(1, 2);
        repo.All().Where(u => u.Name() != null).Select(u => u.Team).First().Join();
        byName[\"a\"].Name();
        if (any is User other) other.Name();
        (any as User).Name();
        any.Name();
        void Local() { user.Name(); }
        Local();
    }
}
",
        expect![[r#"
            A.cs:10 user.Name -> A.cs User.Name 90
            A.cs:19 repo.Find -> A.cs IRepo.Find 90
            A.cs:20 user.Name -> A.cs User.Name 85
            A.cs:21 user.Greet -> A.cs Extensions.Greet 85
            A.cs:22 Extensions.Greet -> A.cs Extensions.Greet 95
            A.cs:23 user.Team.Join -> A.cs Team.Join 85
            A.cs:24 user.Team.Join -> A.cs Team.Join 85
            A.cs:25 user.Team.Join -- unknown
            A.cs:26 repo.All -> A.cs IRepo.All 90
            A.cs:26 repo.All().Where -- external
            A.cs:26 u.Name -> A.cs User.Name 85
            A.cs:26 repo.All().Where().Select -- external
            A.cs:26 repo.All().Where().Select().First -- external
            A.cs:26 ….All().Where().Select().First().Join -> A.cs Team.Join 85
            A.cs:27 byName[].Name -> A.cs User.Name 90
            A.cs:28 other.Name -> A.cs User.Name 90
            A.cs:29 ….Name -> A.cs User.Name 90
            A.cs:30 any.Name -- unknown
            A.cs:31 user.Name -> A.cs User.Name 85
            A.cs:32 Local -> A.cs Service.Run.Local 95
        "#]],
    );
}

#[test]
fn global_usings_hold_in_every_file_of_their_folder() {
    check(
        "
--- src/Log/GlobalUsings.cs
global using Log.Config;
global using System.Text;
--- src/Log/Config/Sinks.cs
namespace Log.Config;
public class Sinks {
    public Log.Builder Sink(int level) { return null; }
}
--- src/Log/Builder.cs
namespace Log;
public class Builder {
    public Sinks WriteTo { get; internal set; }
    public void Create() { }
}
--- test/Tests.cs
using Log;
namespace Tests;
class Tests {
    void Fluent() { new Builder().WriteTo.Sink(1).Create(); }
    void Elsewhere(Sinks sinks) { sinks.Sink(2); }
}
",
        expect![[r#"
            test/Tests.cs:4 Builder -> src/Log/Builder.cs Builder 95
            test/Tests.cs:4 Builder().WriteTo.Sink -> src/Log/Config/Sinks.cs Sinks.Sink 90
            test/Tests.cs:4 Builder().WriteTo.Sink().Create -> src/Log/Builder.cs Builder.Create 90
            test/Tests.cs:5 sinks.Sink -- unknown
        "#]],
    );
}

#[test]
fn conditions_inside_a_declaration_leave_the_rest_readable() {
    check(
        "
--- A.cs
sealed class Sink : IBase
#if FEATURE_ASYNC
    , IAsync
#endif
{
    public void Emit() { Flush(); }
#if FEATURE_SPAN
    void Flush(int n = 0)
#else
    void Flush()
#endif
    { }
}
",
        expect![[r#"
            A.cs:6 Flush -> A.cs Sink.Flush 95
        "#]],
    );
}
