# dpsyn: differentially private synthetic rows in PostgreSQL
#
#   make, make install    build and install (PGXS)
#   make installcheck     SQL and isolation tests against a running server
#   make demo             the tour: a private server, a table, synthetic rows
#                         DATA=file.csv uses that file, KEEP=1 leaves the server up
#   make check            everything that is tested; ONLY="unit sql" for some of it
#   make bench            the measurements
#   make papers           the experiments of the methods' papers again (docs/papers.md)
#   make deb              Debian packages, tried in a clean Debian (SUITE=trixie)
#   make image            OCI images of these packages, started and tried
#   make dist             the archive that PGXN takes
#   make site             the pages as a site, in dist/site
#   make bi               Superset over synthetic rows, and pictures of it
#   make lint, format     static checks; clang-format -i
#   make reference        docs/reference.md, from the comments of functions and views
#   make compile_commands.json    for clangd, which then knows every source
#
#   PG_CONFIG=...         the PostgreSQL to build for (default: the newest one)
#   WERROR=1              warnings are errors
#   CC=clang              works too

# PGXS is not there before `make demo` or `make check` has installed it, and it
# has a target `check` of its own, which only prints an error. So these targets
# run without it; the scripts call make again for the build.
DIRECT_TARGETS := bench bi check compile_commands.json deb demo dist format image lint papers \
	reference site

ifneq (,$(filter $(DIRECT_TARGETS),$(MAKECMDGOALS)))

.PHONY: $(DIRECT_TARGETS) $(MAKECMDGOALS)
.NOTPARALLEL:

bi check deb demo dist format image lint reference site:
	@script/$@

bench:
	@bench/run

papers:
	@bench/papers/run

compile_commands.json:
	@script/compile-commands >$@.new && mv $@.new $@

$(filter-out $(DIRECT_TARGETS),$(MAKECMDGOALS)):
	@$(MAKE) --no-print-directory $@

else

ifndef PG_CONFIG
PG_CONFIG := $(shell script/pg-config)
endif
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (,$(wildcard $(PGXS)))
$(error $(PG_CONFIG) has no PGXS: install postgresql-server-dev-NN, or set PG_CONFIG)
endif

EXTENSION := dpsyn
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" $(EXTENSION).control)
# The extension as it is, put together by subject, and the steps to it from each version that was released.
SQL_PARTS := header catalog amounts protection columns suggestions suggestions_between protection_script release methods \
	synthetic_tables public_tables queries private_queries published_tables inference counting evaluate views
DP_SCRIPT := $(EXTENSION)--$(EXTVERSION).sql
DATA := $(sort $(wildcard $(EXTENSION)--*.sql) $(DP_SCRIPT))
# Questions to ask in psql.
DOCS := contrib/$(EXTENSION).psql
MODULE_big := dpsyn
PGFILEDESC := "dpsyn - differentially private synthetic rows"

HDRS := $(sort $(wildcard src/*/*/*.h src/*/*/*/*.h))
OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/*/*/*.c src/*/*/*/*.c)))

REGRESS := $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS := --inputdir=test/isolation --load-extension=$(EXTENSION)

PG_CPPFLAGS := -Isrc -DDPSYN_VERSION='"$(EXTVERSION)"'

# One rounding per operation, on every CPU and in the JIT: a stored release and
# a seed must give the same rows everywhere. Never -ffast-math or its parts.
DP_CFLAGS := -std=gnu11 -ffp-contract=off

# PG_FUNCTION_ARGS is a parameter whether or not it is used.
PG_CFLAGS := $(DP_CFLAGS) -fno-semantic-interposition -Wall -Wextra -Wshadow -Wno-unused-parameter \
	-Werror=implicit-function-declaration
ifeq ($(WERROR),1)
PG_CFLAGS += -Werror
endif

SHLIB_LINK := -lm

# PostgreSQL may be built with LLVM while its clang is not installed here; then
# the JIT simply has no bitcode to inline.
MAKEFILE_GLOBAL := $(dir $(PGXS))../Makefile.global
DP_CLANG := $(shell sed -n 's/^CLANG *= *//p' $(MAKEFILE_GLOBAL))
DP_LLVM_LTO := $(shell sed -n 's/^LLVM_BINPATH *= *//p' $(MAKEFILE_GLOBAL))/llvm-lto
ifeq (,$(and $(DP_CLANG),$(shell command -v $(DP_CLANG)),$(shell command -v $(DP_LLVM_LTO))))
override with_llvm := no
endif

include $(PGXS)

all: $(DP_SCRIPT)
$(DP_SCRIPT): $(SQL_PARTS:%=src/sql/%.sql)
	@cat $^ >$@.new && mv $@.new $@

# A server with assertions looks at marks around the core's memory too. Under valgrind there are none:
# it sees the write itself, where they would only be found later.
ifeq (,$(filter -DUSE_VALGRIND,$(CPPFLAGS)))
ifneq (,$(shell grep -s '^.define USE_ASSERT_CHECKING 1' $(includedir_server)/pg_config.h))
override CPPFLAGS := -DDPSYN_ARENA_GUARDS $(CPPFLAGS)
endif
endif

# PostgreSQL's headers are not clean under these warnings, and not ours to clean.
override CPPFLAGS := $(patsubst -I$(includedir_server),-isystem $(includedir_server),$(CPPFLAGS))

# Declarations stand where they are needed.
override CFLAGS := $(filter-out -Wdeclaration-after-statement,$(CFLAGS))

# The innermost loops of counting and of estimation are worth vectors. No sum of
# doubles changes its order by that: the compiler may not, and the code says which.
src/core/estimate/interactions.o src/core/estimate/joint_kernel.o \
src/core/estimate/quasi_newton.o src/core/estimate/strides.o src/core/evaluate/closest_record.o \
src/core/evaluate/distinct_cells.o src/core/evaluate/set_counts.o src/core/exact/count_kernel.o \
src/core/graphical/graphical.o src/core/graphical/potentials.o \
src/pg/evaluate/code_rows.o: override CFLAGS += -O3

# PostgreSQL's flags are those of the compiler that built it, mostly gcc.
GCC_ONLY := -fexcess-precision=% -Wno-format-truncation -Wno-stringop-truncation \
	-Wimplicit-fallthrough=% -Wshadow=% -Wcast-function-type -ffat-lto-objects -flto=auto
CLANG_CFLAGS = $(filter-out $(GCC_ONLY),$(CFLAGS)) -Wno-unknown-warning-option -Wno-ignored-attributes

ifneq (,$(findstring clang,$(shell $(CC) --version 2>/dev/null)))
override CFLAGS := $(CLANG_CFLAGS)
endif

# A call inside this library never ends in a namesake of another extension.
ifeq ($(PORTNAME),linux)
SHLIB_LINK += -Wl,-Bsymbolic-functions
endif

# The bitcode rule takes no PG_CFLAGS.
override BITCODE_CFLAGS += $(DP_CFLAGS)

# PGXS's own splits DESTDIR at its spaces. So where there are some, this one takes its place.
ifneq (1,$(words x$(DESTDIR)))
define install_llvm_module
$(MKDIR_P) $(foreach dir,$(sort $(dir $(2))),'$(DESTDIR)$(bitcodedir)/$(1)/$(dir)')
$(foreach object,$(2:.o=.bc),$(INSTALL_DATA) $(object) '$(DESTDIR)$(bitcodedir)/$(1)/$(object)'
)
cd '$(DESTDIR)$(bitcodedir)' && $(LLVM_BINPATH)/llvm-lto -thinlto -thinlto-action=thinlink \
	-o $(1).index.bc $(addprefix $(1)/,$(2:.o=.bc))
endef
endif

# PGXS tracks no dependencies: without this a changed header rebuilds nothing.
$(OBJS) $(OBJS:.o=.bc): $(HDRS) Makefile $(EXTENSION).control

# What script/check does too: clang sees what gcc does not.
.PHONY: syntax
syntax:
	$(if $(OBJS),clang -fsyntax-only -Werror $(CLANG_CFLAGS) $(CPPFLAGS) $(OBJS:.o=.c))

# What the scripts need to know.
.PHONY: print-%
print-%:
	@:$(info $($*))

endif
