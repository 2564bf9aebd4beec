#pragma once

/// Runs single tensor operations on the CPU kernels that the product would choose, and times them. Which kernels of
/// ours are switched on is up to the environment (engines/README.md).

#include <ggml-backend.h>
#include <ggml.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace bench::kernels {

struct FreeContext {
    void operator()(ggml_context* context) const { ggml_free(context); }
};
using Context = std::unique_ptr<ggml_context, FreeContext>;

/// One operation, as a function that makes its inputs and one that applies it to them.
struct Operation {
    /// Called once for each set of inputs; gives them as `apply` wants them.
    std::function<std::vector<ggml_tensor*>(ggml_context*)> inputs;
    std::function<ggml_tensor*(ggml_context*, std::span<ggml_tensor* const>)> apply;
    /// Of one set of inputs, and of one result.
    std::size_t input_bytes = 0;
    std::size_t result_bytes = 0;
};

struct Run {
    double seconds = 0;  ///< of one operation: the median over some runs
    Context context;     ///< owns the tensors below
    std::vector<ggml_tensor*> inputs;
    ggml_tensor* result = nullptr;
};

class Machine {
public:
    explicit Machine(int threads);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// Several operations in a row make one run, so that starting threads does not count. In a model the weights and
    /// cells of an operation are not in the caches from the last time, because those of other layers were used between:
    /// so there are as many sets of inputs as fill the caches, in turn.
    Run run(const Operation& operation) const;

private:
    ggml_backend_t cpu_;
};

/// What one operation costs and how exact it is, as a line of JSON on standard output.
struct Line {
    std::string kernel;
    std::string shape;
    double seconds = 0;
    double operations = 0;             ///< multiplications and additions
    const char* arithmetic = "float";  ///< or "int8", or "none": it only moves numbers
    double bytes = 0;                  ///< that must be read and written at least
    double error = 0;                  ///< largest, relative to the root mean square of the true result
};
void print(const Line& line);

/// Largest difference and the scale of the truth, over the numbers that were looked at.
class Errors {
public:
    void add(double actual, double expected);
    double relative() const;

private:
    double largest_ = 0;
    double squares_ = 0;
    std::uint64_t count_ = 0;
};

/// Normal numbers of deviation `scale`, also into 16-bit tensors.
void fill(ggml_tensor* tensor, std::mt19937& random, float scale = 1);

/// The number at `index` of a tensor of 16 or 32 bits that lies in one piece.
double number_at(const ggml_tensor* tensor, std::int64_t index);

void measure_attention(const Machine& machine);
void measure_convolutions(const Machine& machine);
void measure_products(const Machine& machine);
void measure_unfolding(const Machine& machine);

}  // namespace bench::kernels
