//! Go: packages, receivers, embedding, interfaces.

use crate::check;
use expect_test::expect;

#[test]
fn a_package_is_a_folder_and_its_path_comes_from_the_module() {
    check(
        "
--- go.mod
module example.com/shop/v2
--- main.go
package main

import (
	\"fmt\"
	st \"example.com/shop/v2/store\"
	. \"example.com/shop/v2/money\"
	\"example.com/other\"
)

func main() {
	st.Open()
	helper()
	Round(1)
	fmt.Println(other.Do())
}
--- helper.go
package main

func helper() {}
--- store/store.go
package store

func Open() *Store { return open() }
--- store/open.go
package store

type Store struct{}

func open() *Store { return &Store{} }
--- money/money.go
package money

func Round(x int) int { return int(x) }
",
        expect![[r#"
            main.go:11 st.Open -> store/store.go Open 95
            main.go:12 helper -> helper.go helper 95
            main.go:13 Round -> money/money.go Round 95
            main.go:14 fmt.Println -- external
            main.go:14 => example.com/other Do
            store/store.go:3 open -> store/open.go open 95
        "#]],
    );
}

#[test]
fn new_takes_a_value_as_well_as_a_type() {
    check(
        "
--- go.mod
module example.com/shop
--- main.go
package main

type Box struct{ size *int }

func (b *Box) Open() {}

func size() int { return 3 }

func open(b Box) Box { return b }

func main() {
	a := []Box{{size: new(size())}}
	b := new(open(Box{size: new(int(4))}))
	b.Open()
	c := new(Box)
	c.Open()
	d := new(Box{size: new(2 + 3)})
	d.Open()
}
",
        expect![[r#"
            main.go:12 new -- external
            main.go:12 size -> main.go size 95
            main.go:13 new -- external
            main.go:13 open -> main.go open 95
            main.go:13 new -- external
            main.go:14 b.Open -> main.go Box.Open 85
            main.go:15 new -- external
            main.go:16 c.Open -> main.go Box.Open 85
            main.go:17 new -- external
            main.go:17 new -- external
            main.go:18 d.Open -> main.go Box.Open 85
        "#]],
    );
}

#[test]
fn receivers_are_followed_through_fields_results_and_loops() {
    check(
        "
--- go.mod
module m
--- a.go
package m

type Logger interface{ Log(s string) }
type base struct{ name string }

func (b *base) Name() string { return b.name }

type Server struct {
	*base
	log   Logger
	conns map[string]*Conn
	hook  func()
}

type Conn struct{}

func (c *Conn) Close() error { return nil }
func Dial() (*Conn, error) { return new(Conn), nil }

type List[T any] struct{ items []T }

func (l *List[T]) First() T { return l.items[0] }

func (s *Server) Stop(any interface{}) {
	s.Name()
	s.log.Log(s.Name())
	s.hook()
	for _, c := range s.conns {
		c.Close()
	}
	if conn, err := Dial(); err == nil {
		defer conn.Close()
		err.Error()
	}
	switch v := any.(type) {
	case *Conn:
		v.Close()
	case Logger, error:
		v.Log(\"\")
	}
	l := List[*Conn]{}
	l.First().Close()
	Close := func() {}
	Close()
}
",
        expect![[r#"
            a.go:18 new -- external
            a.go:25 s.Name -> a.go base.Name 90
            a.go:26 s.log.Log -> a.go Logger.Log 90
            a.go:26 s.Name -> a.go base.Name 90
            a.go:27 s.hook -- value
            a.go:29 c.Close -> a.go Conn.Close 85
            a.go:31 Dial -> a.go Dial 95
            a.go:32 conn.Close -> a.go Conn.Close 85
            a.go:33 err.Error -- external
            a.go:37 v.Close -> a.go Conn.Close 90
            a.go:39 v.Log -- unknown
            a.go:42 l.First -> a.go List.First 85
            a.go:42 l.First().Close -> a.go Conn.Close 85
            a.go:44 Close -- value
            a.go Server inherits a.go base
        "#]],
    );
}

/// gin 688a429d: the import of a file came after a variable of another file of the package.
#[test]
fn an_import_comes_before_the_names_of_its_package() {
    check(
        "
--- go.mod
module example.com/gin
--- codec/sonic.go
//go:build sonic

package codec

type config struct{}

func (c config) Marshal(v any) {}

var json = config{}

func encode() { json.Marshal(1) }
--- codec/go_json.go
//go:build go_json

package codec

import \"github.com/goccy/go-json\"

func other() { json.Marshal(1) }
",
        expect![[r#"
            codec/sonic.go:11 json.Marshal -> codec/sonic.go config.Marshal 85
            codec/go_json.go:7 => github.com/goccy/go-json Marshal
        "#]],
    );
}

#[test]
fn of_files_for_several_builds_the_one_that_is_built_without_tags_is_called() {
    check(
        "
--- go.mod
module example.com/m
--- labels/a_dedupe.go
//go:build dedupe

package labels

type Labels struct{}
type Dedupe struct{}

func (ls Labels) Get() Dedupe { return Dedupe{} }
func (d Dedupe) Is()          {}
func From() Labels            { return Labels{}.own() }
func (ls Labels) own() Labels { ls.Get().Is(); return ls }
--- labels/b_string.go
//go:build !slice && !dedupe

package labels

type Labels struct{}
type String struct{}

func (ls Labels) Get() String { return String{} }
func (s String) Is()          {}
func From() Labels            { return Labels{} }
--- labels/common.go
package labels

func (ls Labels) Common() { ls.Get().Is() }
--- labels/open_darwin.go
package labels

func open() Dedupe { return Dedupe{} }
--- labels/open_linux.go
package labels

func open() String { return String{} }
--- main.go
package main

import \"example.com/m/labels\"

func main() {
	labels.From().Get().Is()
	labels.From().Common()
}
--- labels/use.go
package labels

func use() { open().Is() }
",
        expect![[r#"
            labels/a_dedupe.go:10 ….own -> labels/a_dedupe.go Labels.own 90
            labels/a_dedupe.go:11 ls.Get -> labels/a_dedupe.go Labels.Get 90
            labels/a_dedupe.go:11 ls.Get().Is -> labels/a_dedupe.go Dedupe.Is 90
            labels/common.go:3 ls.Get -> labels/b_string.go Labels.Get 90
            labels/common.go:3 ls.Get().Is -> labels/b_string.go String.Is 90
            main.go:6 labels.From -> labels/b_string.go From 95
            main.go:6 labels.From().Get -> labels/b_string.go Labels.Get 90
            main.go:6 labels.From().Get().Is -> labels/b_string.go String.Is 90
            main.go:7 labels.From -> labels/b_string.go From 95
            main.go:7 labels.From().Common -> labels/common.go Labels.Common 90
            labels/use.go:3 open -> labels/open_linux.go open 95
            labels/use.go:3 open().Is -> labels/b_string.go String.Is 90
        "#]],
    );
}
