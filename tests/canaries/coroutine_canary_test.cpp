/// Why the project is built with clang: g++ 12 destroys some temporaries of a `co_await` expression twice. These are
/// the forms our code uses; a compiler that fails here must not build us.

#include <gtest/gtest.h>

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Counts itself, so that a second destruction shows as a negative balance, without undefined behaviour having to
/// crash.
struct Counted {
    static inline int alive = 0;
    static inline int constructed = 0;

    Counted() : Counted(0) {}
    explicit Counted(int number) : value(number) { count(1); }
    Counted(const Counted& other) : value(other.value) { count(1); }
    Counted(Counted&& other) noexcept : value(std::exchange(other.value, -1)) { count(1); }
    Counted& operator=(const Counted&) = default;
    Counted& operator=(Counted&&) = default;
    ~Counted() { --alive; }

    static void count(int by) {
        alive += by;
        constructed += by;
    }

    int value;
};

/// The smallest lazy task that can await another.
template <typename T>
class Task {
public:
    struct promise_type {
        std::optional<T> value;
        std::coroutine_handle<> waiting;

        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            struct Resume {
                bool await_ready() noexcept { return false; }
                std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> handle) noexcept {
                    return handle.promise().waiting ? handle.promise().waiting : std::noop_coroutine();
                }
                void await_resume() noexcept {}
            };
            return Resume{};
        }
        void return_value(T result) { value.emplace(std::move(result)); }
        void unhandled_exception() { std::terminate(); }
    };

    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    ~Task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
        handle_.promise().waiting = waiting;
        return handle_;
    }
    T await_resume() { return std::move(*handle_.promise().value); }

    T run() {
        handle_.resume();
        return std::move(*handle_.promise().value);
    }

private:
    std::coroutine_handle<promise_type> handle_;
};

struct Options {
    Counted first;
    std::string text = "text that is too long for the small string buffer";
    Counted second;
};

Task<int> by_value(Options options) {
    co_return options.first.value + options.second.value;
}
Task<int> by_reference(const Options& options) {
    co_return options.first.value + options.second.value;
}
Task<int> counted(Counted value) {
    co_return value.value;
}
Task<std::unique_ptr<Counted>> owned(std::unique_ptr<Counted> value) {
    co_return value;
}
Task<int> called(std::function<int()> call) {
    co_return call();
}
Task<int> many(std::vector<Counted> values) {
    int sum = 0;
    for (const Counted& value : values) {
        sum += value.value;
    }
    co_return sum;
}

Task<int> temporary_aggregate() {
    co_return co_await by_value({.first = Counted(1), .second = Counted(2)});
}
Task<int> temporary_aggregate_by_reference() {
    co_return co_await by_reference({.first = Counted(1), .second = Counted(2)});
}
Task<int> aggregate_with_defaults() {
    co_return co_await by_value({.first = Counted(3)});
}
Task<int> temporary_object() {
    co_return co_await counted(Counted(3));
}
Task<int> list_of_temporaries() {
    co_return co_await many({Counted(1), Counted(2)});
}
Task<int> conditional() {
    const bool yes = Counted(1).value == 1;
    co_return co_await counted(yes ? Counted(1) : Counted(2)) + 2;
}
Task<int> nested() {
    co_return co_await counted(Counted(co_await counted(Counted(3))));
}
Task<int> in_a_condition() {
    if (co_await by_value({.first = Counted(1)}) == 1 && co_await counted(Counted(2)) == 2) {
        co_return 3;
    }
    co_return 0;
}
Task<int> in_a_loop() {
    int sum = 0;
    while (sum < 3) {
        sum += co_await by_value({.first = Counted(1)});
    }
    co_return sum;
}
Task<int> lambda_with_a_capture() {
    const Counted value(3);
    co_return co_await called([value] { return value.value; });
}
Task<int> moved_pointer() {
    co_return (co_await owned(std::make_unique<Counted>(3)))->value;
}
Task<int> temporary_beside() {
    co_return Counted(1).value + co_await counted(Counted(1)) + Counted(1).value;
}

struct Form {
    const char* name;
    Task<int> (*make)();

    friend void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }
};

class CoroutineCanary : public testing::TestWithParam<Form> {};

TEST_P(CoroutineCanary, DestroysEveryTemporaryOnce) {
    Counted::alive = 0;
    Counted::constructed = 0;
    EXPECT_EQ(GetParam().make().run(), 3);
    EXPECT_GT(Counted::constructed, 0);
    EXPECT_EQ(Counted::alive, 0) << "of " << Counted::constructed << " objects";
}

INSTANTIATE_TEST_SUITE_P(
    Forms, CoroutineCanary,
    testing::Values(Form{"TemporaryAggregate", temporary_aggregate},
                    Form{"TemporaryAggregateByReference", temporary_aggregate_by_reference},
                    Form{"AggregateWithDefaults", aggregate_with_defaults}, Form{"TemporaryObject", temporary_object},
                    Form{"ListOfTemporaries", list_of_temporaries}, Form{"Conditional", conditional},
                    Form{"Nested", nested}, Form{"InACondition", in_a_condition}, Form{"InALoop", in_a_loop},
                    Form{"LambdaWithACapture", lambda_with_a_capture}, Form{"MovedPointer", moved_pointer},
                    Form{"TemporaryBeside", temporary_beside}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
